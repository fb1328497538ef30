import type { MastodonEvent } from "./events.ts";

type StatusEvent = MastodonEvent & { kind: "event" };

/**
 * Recently deleted statuses. A timeline page may be older than a deletion in the stream, of which the archive has no tombstone
 * unless it had the post.
 */
export type RecentDeletions = {
  /** Accepts any event. */
  note(event: StatusEvent): void;
  /** Whether an event's status was deleted. */
  has(event: StatusEvent): boolean;
};

const mostIds = 10_000;

export function createRecentDeletions(): RecentDeletions {
  const ids = new Set<string>();
  return {
    note: ({ changes, statusId }) => {
      const isDeletion = changes.length > 0 && changes.every(({ kind }) => kind === "delete-held");
      if (statusId === null || !isDeletion) return;
      ids.add(statusId);
      const [oldest] = ids;
      if (ids.size > mostIds && oldest !== undefined) ids.delete(oldest);
    },
    has: ({ statusId }) => statusId !== null && ids.has(statusId),
  };
}
