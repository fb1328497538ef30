import { pendingTasksIn } from "./pending-tasks.ts";

export const rewriteInProgress = 2;

/** To remove forgotten texts from disk, or to rebuild lists and index. */
export const {
  put: wantRewrites,
  take: takeExpectedRewrite,
  read: expectedRewrites,
} = pendingTasksIn("wanted_rewrite");
