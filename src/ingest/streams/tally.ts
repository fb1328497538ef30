import type { StreamItem } from "./batches.ts";

export function createStreamTally() {
  const counts = {
    events: 0,
    posts: 0,
    deletes: 0,
    badFrames: 0,
    counted: { likes: 0, reposts: 0, replies: 0, quotes: 0 },
  };
  return {
    counts,
    add({ changes, countIncrements }: StreamItem): void {
      counts.events += 1;
      for (const { kind } of changes) {
        if (kind === "upsert") counts.posts += 1;
        if (kind === "delete" || kind === "delete-stored") counts.deletes += 1;
      }
      for (const { metric } of countIncrements) counts.counted[metric] += 1;
    },
  };
}
