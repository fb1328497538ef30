import type { MastodonEvent } from "./events.ts";

type StatusEvent = MastodonEvent & { kind: "event" };

/**
 * The statuses that were deleted last. A page of the timeline may be older than a deletion that the stream has reported, of which
 * the archive keeps nothing where it has no such post.
 */
export type RecentDeletions = {
  /** Takes any event. */
  note(event: StatusEvent): void;
  /** Whether the status of an event was deleted. */
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
