import { isSearch } from "../../platforms/methods.ts";
import type { Job } from "../job.ts";
import type { LiveJob } from "./dispatcher.ts";
import { workKindOf } from "./work-kind.ts";

export function liveJob(submitted: Job, deadlineMs: number): LiveJob {
  const { uuid, accountId, keyId, request } = submitted;
  const work = workKindOf(request);
  const nodes = { avoided: new Set<string>(), failedOn: new Set<string>(), runningNode: null };
  const endListeners: LiveJob["endListeners"] = new Set();
  const idle = { phase: "waiting", lease: null } as const;
  const groupId = `${isSearch(request.method) ? "search" : "fetch"} ${accountId}`;
  const names = { uuid, keyId, groupId, work, kind: work };
  return {
    ...names,
    submitted,
    deadlineMs,
    ...nodes,
    ...idle,
    endListeners,
    uncommitted: null,
    change: 0,
  };
}
