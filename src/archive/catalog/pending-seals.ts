import { pendingTasksIn } from "./pending-tasks.ts";

/** Segments that somebody wants sealed without waiting until they have been left alone: as an import is over. */
export const { put: wantSeals, read: wantedSeals } = pendingTasksIn("wanted_seal");
