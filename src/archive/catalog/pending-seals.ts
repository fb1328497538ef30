import { pendingTasksIn } from "./pending-tasks.ts";

/** Seals that do not wait until segments are quiet, such as after an import. */
export const { put: wantSeals, read: expectedSeals } = pendingTasksIn("wanted_seal");
