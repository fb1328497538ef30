import { pendingTasksIn } from "./pending-tasks.ts";

/** What a segment is marked with while the rewrite that is wanted of it is being made: the wish is taken, and not yet met. */
export const rewriteInProgress = 2;

/**
 * Segments that somebody wants rewritten though nothing is wrong with their analyzer: as texts that were forgotten are to be
 * gone from the disk, or as their lists and their index are to be made anew.
 */
export const {
  put: wantRewrites,
  take: takeWantedRewrite,
  read: wantedRewrites,
} = pendingTasksIn("wanted_rewrite");
