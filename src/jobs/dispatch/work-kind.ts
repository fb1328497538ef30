import type { SearchJobRequest } from "../job.ts";

/** What decides which nodes can run a job: `accepts` is checked once per kind. */
export function workKindOf({
  method,
  platform,
  type,
  target,
  place,
  isKeptHere,
}: SearchJobRequest): string {
  return [
    method,
    platform,
    type,
    target?.platform ?? "",
    isKeptHere === true ? "kept" : "",
    ...(place
      ? [place.platform, place.nodeId ?? "", place.credentialId === null ? "" : "of one"]
      : []),
  ].join(" ");
}
