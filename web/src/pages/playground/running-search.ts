import { cancelJob } from "./search.ts";

/** A sent search and its running job, once known. */
export type RunningSearch = { control: AbortController; uuid: string | null };

export function endSearch(search: RunningSearch | null): void {
  if (search === null) return;
  search.control.abort();
  if (search.uuid !== null) void cancelJob(search.uuid);
  search.uuid = null;
}
