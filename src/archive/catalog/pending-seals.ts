import { pendingTasksIn } from "./pending-tasks.ts";

/** At once, such as after an import. */
export const { put: wantSeals, read: expectedSeals } = pendingTasksIn("wanted_seal");
