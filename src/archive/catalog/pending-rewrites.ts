import { pendingTasksIn } from "./pending-tasks.ts";

/** The requested rewrite is taken, but not finished. */
export const rewriteInProgress = 2;

/** Requested rewrites of current segments: to remove forgotten texts from disk, or to rebuild lists and index. */
export const {
  put: wantRewrites,
  take: takeExpectedRewrite,
  read: expectedRewrites,
} = pendingTasksIn("wanted_rewrite");
