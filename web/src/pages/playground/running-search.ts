import { cancelJob } from "./search.ts";

/** A search that was sent, and the job that it became, once that is told and for as long as it runs. */
export type UnderWay = { control: AbortController; uuid: string | null };

/** Nobody waits for it any more, so that its job is to take no place of another. */
export function endSearch(search: UnderWay | null): void {
  if (search === null) return;
  search.control.abort();
  if (search.uuid !== null) void cancelJob(search.uuid);
  search.uuid = null;
}
