import { pendingTasksIn } from "./pending-tasks.ts";

export const { put: addPendingSeals, read: pendingSeals } = pendingTasksIn("pending_seal");
