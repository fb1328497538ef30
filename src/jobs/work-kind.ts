import type { SearchJobRequest } from "./job.ts";

/**
 * What of a job says which nodes can run it, as one text: what they are asked about once, however many jobs of the kind wait
 * (`AskingNode.accepts`).
 */
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
