import { isSearch } from "../../platforms/methods.ts";
import type { Job } from "../job.ts";
import type { ActiveJob } from "./dispatcher.ts";
import { workKind } from "./work-kind.ts";

export function activeJob(submitted: Job, deadlineMs: number): ActiveJob {
  const { uuid, accountId, keyId, request } = submitted;
  const work = workKind(request);
  const nodes = { avoided: new Set<string>(), failedOn: new Set<string>(), runningNode: null };
  const endListeners: ActiveJob["endListeners"] = new Set();
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
