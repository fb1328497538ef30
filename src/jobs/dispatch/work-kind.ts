import type { SearchJobRequest } from "../job.ts";

/** All that decides which nodes can run a job: `accepts` is called once per kind. */
export function workKind({
  method,
  platform,
  type,
  target,
  position,
  isLocalOnly,
}: SearchJobRequest): string {
  return [
    method,
    platform,
    type,
    target?.platform ?? "",
    isLocalOnly === true ? "local" : "",
    ...(position
      ? [position.platform, position.nodeId ?? "", position.credentialId === null ? "" : "of one"]
      : []),
  ].join(" ");
}
