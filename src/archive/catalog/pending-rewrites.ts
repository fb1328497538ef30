import { pendingTasksIn } from "./pending-tasks.ts";

export const rewriteInProgress = 2;

export const {
  put: wantRewrites,
  take: takeExpectedRewrite,
  read: expectedRewrites,
} = pendingTasksIn("wanted_rewrite");
