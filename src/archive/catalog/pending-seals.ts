import { pendingTasksIn } from "./pending-tasks.ts";

export const { put: wantSeals, read: expectedSeals } = pendingTasksIn("wanted_seal");
