import type { MastodonEvent } from "./events.ts";

type StatusEvent = MastodonEvent & { kind: "event" };

/**
 * Needed because a timeline page may be older than a deletion in the stream, which leaves no
 * tombstone for a post that was never archived.
 */
export type RecentDeletions = {
  record(event: StatusEvent): void;
  has(event: StatusEvent): boolean;
};

const maxIds = 10_000;

export function createRecentDeletions(): RecentDeletions {
  const ids = new Set<string>();
  return {
    record: ({ changes, statusId }) => {
      const isDeletion =
        changes.length > 0 && changes.every(({ kind }) => kind === "delete-stored");
      if (statusId === null || !isDeletion) return;
      ids.add(statusId);
      const [oldest] = ids;
      if (ids.size > maxIds && oldest !== undefined) ids.delete(oldest);
    },
    has: ({ statusId }) => statusId !== null && ids.has(statusId),
  };
}
