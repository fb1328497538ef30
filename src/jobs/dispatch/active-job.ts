import { isSearch } from "../../platforms/methods.ts";
import type { Job, SearchJobRequest } from "../job.ts";
import type { ActiveJob } from "./dispatcher.ts";

export function createActiveJob(submittedJob: Job, deadlineMs: number): ActiveJob {
  const { uuid, accountId, keyId, request } = submittedJob;
  const work = workKind(request);
  const nodes = {
    avoidedNodes: new Set<string>(),
    failedNodes: new Set<string>(),
    runningNode: null,
  };
  const endListeners: ActiveJob["endListeners"] = new Set();
  const initialState = { phase: "waiting", lease: null } as const;
  const groupId = `${isSearch(request.method) ? "search" : "fetch"} ${accountId}`;
  const names = { uuid, keyId, groupId, work, kind: work };
  return {
    ...names,
    submittedJob,
    deadlineMs,
    ...nodes,
    ...initialState,
    endListeners,
    uncommittedJob: null,
    change: 0,
  };
}

/** Everything that decides which nodes can run a job; `accepts` is called once per kind. */
function workKind({
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

export class RunningJobs {
  readonly #byNode = new Map<string, number>();

  count(nodeId: string): number {
    return this.#byNode.get(nodeId) ?? 0;
  }

  add(nodeId: string): void {
    this.#byNode.set(nodeId, this.count(nodeId) + 1);
  }

  remove(nodeId: string): void {
    const remainingCount = this.count(nodeId) - 1;
    if (remainingCount > 0) this.#byNode.set(nodeId, remainingCount);
    else this.#byNode.delete(nodeId);
  }
}

const minSlots = 8;
const slotsPerReserved = 16;

/**
 * Slots for accounts with nothing running, so that their jobs start immediately even under load.
 */
export function reservedSlots(slots: number): number {
  return slots < minSlots ? 0 : Math.max(1, Math.floor(slots / slotsPerReserved));
}
