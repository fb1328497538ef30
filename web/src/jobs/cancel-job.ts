import { api } from "../api.ts";
import { isRunning, type JobStatus } from "./job.ts";

/** Leaves an ended job alone, because deleting it would delete its result. Errors: `ApiProblem`. */
export async function cancelJob(uuid: string): Promise<void> {
  const path = `/v1/search/live/status/${uuid}`;
  const { status } = await api.get<JobStatus>(path);
  if (isRunning(status)) await api.delete(path);
}
