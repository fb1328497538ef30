import type { SearchJobRequest } from "./job.ts";

/** The properties that decide which nodes can run a job: nodes are checked once per kind (`AskingNode.accepts`). */
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
