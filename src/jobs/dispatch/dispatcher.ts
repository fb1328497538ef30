import { firstValue } from "../../lib/abortable-wait.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Job, SearchJobRequest } from "../job.ts";
import type { LeaseRequest } from "../leases/lease.ts";
import type { UncommittedJob } from "../submissions/submission-commits.ts";
import { type RunningJobs, reservedSlots } from "./active-job.ts";
import { createFairQueue } from "./fair-queue.ts";
import { createIdleNodes, isOpen } from "./idle-nodes.ts";

/** Times are from the monotonic clock. */
export type ActiveJob = {
  readonly uuid: string;
  readonly keyId: string;
  readonly groupId: string;
  /** Jobs with the same value can run on the same nodes. */
  readonly work: string;
  /** Consists of `work` and the avoided nodes. */
  kind: string;
  avoidedNodes: ReadonlySet<string>;
  readonly failedNodes: Set<string>;
  readonly submittedJob: Job;
  deadlineMs: number;
  /**
   * `delayed`: waits for its retry time; `ending`: released, until its row is written or reread;
   * `leased` without a `lease`: a node of another gateway runs the job.
   */
  phase: "waiting" | "delayed" | "leased" | "ending";
  lease: CurrentLease | null;
  runningNode: string | null;
  readonly endListeners: Set<(endedJob: Job | null) => void>;
  uncommittedJob: UncommittedJob | null;
  change: number;
};

type CurrentLease = {
  readonly token: string;
  readonly nodeId: string;
  readonly sinceMs: number;
  untilMs: number;
  readonly lossController: AbortController;
};

/** Unfinished jobs in memory. The store is authoritative. */
export type Dispatcher = {
  offer(job: ActiveJob): void;
  offerLater(job: ActiveJob, delayMs: number): void;
  /**
   * True if the node would lease the job now; the job then counts as running until `endTurn`. No
   * job is overtaken, because no job that an idle node could run is queued.
   */
  takeTurn(nodeId: string, job: ActiveJob): boolean;
  endTurn(job: ActiveJob): void;
  /** Requeues a job that did not fail, ahead of its key's other jobs. */
  requeue(job: ActiveJob): void;
  /** Null on timeout. A node's last free slots are reserved for accounts with nothing running. */
  next(
    leaseRequest: LeaseRequest<SearchJobRequest>,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<ActiveJob | null>;
  wakeNodes(): void;
  leaseRemotely(job: ActiveJob): void;
  release(job: ActiveJob): void;
  loseLease(job: ActiveJob): void;
  /** Also notifies waiters and revokes the lease, if any. */
  end(uuid: string, endedJob?: Job | null): void;
  /** Null on timeout, abort or shutdown, or if the ended job must be read from the store. */
  waitForEnd(job: ActiveJob, waitMs: number, signal?: AbortSignal): Promise<Job | null>;
  get(uuid: string): ActiveJob | undefined;
  activeJobs(): Iterable<ActiveJob>;
  depth(): number;
  stop(): void;
};

const avoidanceMs = 5_000;

const noNodes: ReadonlySet<string> = new Set();

/**
 * If `hasOtherNodeFor` returns true, a retry waits briefly for a node on which the job has not
 * failed.
 */
export function createDispatcher(
  clock: Clock,
  maxRunningPerKey: number | null,
  hasOtherNodeFor: (request: SearchJobRequest, nodeIds: ReadonlySet<string>) => boolean,
  runningJobs: RunningJobs,
): Dispatcher {
  const jobs = new Map<string, ActiveJob>();
  const queue = createFairQueue<ActiveJob>(maxRunningPerKey ?? Number.POSITIVE_INFINITY);
  const idleNodes = createIdleNodes<ActiveJob>();
  const stopping = new AbortController();
  let pendingCount = 0;
  let turnCount = 0;

  function setPhase(job: ActiveJob, phase: ActiveJob["phase"]): void {
    if (jobs.has(job.uuid)) pendingCount -= isPending(job) ? 1 : 0;
    else jobs.set(job.uuid, job);
    job.phase = phase;
    pendingCount += isPending(job) ? 1 : 0;
  }

  function offer(job: ActiveJob): void {
    setPhase(job, "waiting");
    avoidFailedNodes(job);
    queue.add(job);
    wakeNodes();
  }

  function takeTurn(nodeId: string, job: ActiveJob): boolean {
    const { keyId, submittedJob } = job;
    const hasTurn =
      queue.canRun(keyId) &&
      idleNodes.takeTurn(
        nodeId,
        (leaseRequest) =>
          canRunJob(leaseRequest, submittedJob.request) &&
          idleNodes.countWaiting(leaseRequest) - turnCount >
            reservedSlots(leaseRequest.slots?.() ?? 0),
      );
    if (!hasTurn) return false;
    turnCount += 1;
    queue.occupy(job);
    return true;
  }

  function endTurn(job: ActiveJob): void {
    turnCount -= 1;
    queue.release(job);
    wakeNodes();
  }

  function requeue(job: ActiveJob): void {
    setPhase(job, "waiting");
    avoidFailedNodes(job);
    queue.requeue(job);
    wakeNodes();
  }

  /** A broken node, usually the least loaded, would lease the job again. */
  function avoidFailedNodes(job: ActiveJob): void {
    const { failedNodes, submittedJob } = job;
    if (failedNodes.size === 0 || !hasOtherNodeFor(submittedJob.request, failedNodes)) {
      setAvoidedNodes(job, noNodes);
      return;
    }
    const avoidedNodes = new Set(failedNodes);
    setAvoidedNodes(job, avoidedNodes);
    clock.sleep(avoidanceMs, stopping.signal).then(
      () => {
        const isStillAvoiding = job.phase === "waiting" && job.avoidedNodes === avoidedNodes;
        if (!isStillAvoiding || jobs.get(job.uuid) !== job) return;
        queue.remove(job);
        setAvoidedNodes(job, noNodes);
        queue.requeue(job);
        wakeNodes();
      },
      () => undefined,
    );
  }

  function setAvoidedNodes(job: ActiveJob, nodeIds: ReadonlySet<string>): void {
    job.avoidedNodes = nodeIds;
    job.kind = [job.work, ...[...nodeIds].toSorted()].join(" not ");
  }

  function offerLater(job: ActiveJob, delayMs: number): void {
    if (delayMs <= 0) {
      offer(job);
      return;
    }
    setPhase(job, "delayed");
    clock.sleep(Math.ceil(delayMs), stopping.signal).then(
      () => {
        if (jobs.get(job.uuid) === job && job.phase === "delayed") offer(job);
      },
      () => undefined,
    );
  }

  function wakeNodes(): void {
    while (!queue.isIdle() && idleNodes.dispatchOne(takeForIdle));
  }

  const takeForIdle = (leaseRequest: LeaseRequest<SearchJobRequest>): ActiveJob | null =>
    take(leaseRequest, idleNodes.countWaiting(leaseRequest));

  function take(leaseRequest: LeaseRequest<SearchJobRequest>, freeSlots: number): ActiveJob | null {
    // Kinds with the same `work` differ only in avoided nodes.
    const canRunByWork = new Map<string, boolean>();
    const job = queue.take(
      ({ work, avoidedNodes, submittedJob: { request } }) => {
        if (avoidedNodes.has(leaseRequest.nodeId)) return false;
        const canRun = canRunByWork.get(work) ?? canRunJob(leaseRequest, request);
        canRunByWork.set(work, canRun);
        return canRun;
      },
      freeSlots <= reservedSlots(leaseRequest.slots?.() ?? 0),
    );
    if (job === null) return null;
    setPhase(job, "leased");
    assign(job, leaseRequest.nodeId);
    leaseRequest.onLease?.();
    return job;
  }

  function assign(job: ActiveJob, nodeId: string): void {
    job.runningNode = nodeId;
    runningJobs.add(nodeId);
  }

  function unassign(job: ActiveJob): void {
    if (job.runningNode === null) return;
    runningJobs.remove(job.runningNode);
    job.runningNode = null;
  }

  async function next(
    leaseRequest: LeaseRequest<SearchJobRequest>,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<ActiveJob | null> {
    if (stopping.signal.aborted) return null;
    const readyJob = isOpen(leaseRequest)
      ? take(leaseRequest, idleNodes.countWaiting(leaseRequest) + 1)
      : null;
    if (readyJob !== null) return readyJob;
    return await firstValue<ActiveJob>(clock, waitMs, signal, (give) =>
      idleNodes.add(leaseRequest, give),
    );
  }

  function leaseRemotely(job: ActiveJob): void {
    if (job.phase === "leased" && job.lease === null) return;
    loseLease(job);
    queue.occupy(job);
    setPhase(job, "leased");
  }

  function release(job: ActiveJob): void {
    if (job.phase !== "leased") return;
    setPhase(job, "ending");
    unassign(job);
    queue.release(job);
    wakeNodes();
  }

  function loseLease(job: ActiveJob): void {
    const { phase, lease } = job;
    job.lease = null;
    if (phase === "leased") lease?.lossController.abort(leaseLostError);
    release(job);
  }

  function end(uuid: string, endedJob: Job | null = null): void {
    const job = jobs.get(uuid);
    if (job === undefined) return;
    loseLease(job);
    if (job.phase === "waiting") queue.remove(job);
    pendingCount -= isPending(job) ? 1 : 0;
    jobs.delete(uuid);
    job.uncommittedJob?.commit();
    for (const notify of [...job.endListeners]) notify(endedJob);
  }

  async function waitForEnd(
    job: ActiveJob,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Job | null> {
    if (stopping.signal.aborted) return null;
    return await firstValue<Job>(clock, waitMs, signal, (give) => {
      job.endListeners.add(give);
      return () => job.endListeners.delete(give);
    });
  }

  function stop(): void {
    stopping.abort();
    idleNodes.endAll();
    for (const job of jobs.values()) {
      for (const notify of [...job.endListeners]) notify(null);
    }
  }

  return {
    offer,
    offerLater,
    takeTurn,
    endTurn,
    requeue,
    next,
    wakeNodes,
    leaseRemotely,
    release,
    loseLease,
    end,
    waitForEnd,
    get: (uuid) => jobs.get(uuid),
    activeJobs: () => jobs.values(),
    depth: () => pendingCount,
    stop,
  };
}

/** Shared, because each abort without a reason creates an exception. */
const leaseLostError = new Error("the lease was lost");

function canRunJob(
  { methods, accepts }: LeaseRequest<SearchJobRequest>,
  request: SearchJobRequest,
): boolean {
  return methods.includes(request.method) && (accepts === undefined || accepts(request));
}

function isPending(job: ActiveJob): boolean {
  return job.phase === "waiting" || job.phase === "delayed";
}
