import { pendingTasksIn } from "./pending-tasks.ts";

export const rewriteInProgress = 2;

export const {
  put: addPendingRewrites,
  take: takePendingRewrite,
  read: pendingRewrites,
} = pendingTasksIn("pending_rewrite");
