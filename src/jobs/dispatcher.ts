import type { Clock } from "../lib/clock.ts";
import { firstOf } from "../lib/first-of.ts";
import { createFairQueue } from "./fair-queue.ts";
import { createIdleNodes, isOpen } from "./idle-nodes.ts";
import type { Job, SearchJobRequest } from "./job.ts";
import type { AskingNode } from "./lease.ts";
import { reservedSlots } from "./reserved-slots.ts";
import type { Uncommitted } from "./uncommitted.ts";

/**
 * The jobs that have not ended, in memory: which wait and whose turn it is, which nodes and callers wait for what. The store
 * is the truth; this only says whom to ask for what, and wakes without asking. Times are of the clock that only goes on.
 */
export type LiveJob = {
  readonly uuid: string;
  readonly keyId: string;
  /** Its account and the kind of slots that it runs in: searches and other methods have slots of their own. */
  readonly groupId: string;
  /** What kind of work it is: nodes can run all of a kind, or none (work-kind.ts). */
  readonly work: string;
  /** The kind by which it waits: its work, and the nodes that it is kept from. */
  kind: string;
  /** The nodes that it is not given to as it waits. */
  keptFrom: ReadonlySet<string>;
  /** The nodes on which an attempt came to nothing, in this process. */
  readonly failedOn: Set<string>;
  /** The job as it was taken. */
  readonly taken: Job;
  deadlineMs: number;
  /** `waiting` for a node, `delayed` until it may be tried again, `leased`, or `ending`: handed in, on the way to the disk. */
  phase: "waiting" | "delayed" | "leased" | "ending";
  lease: LiveLease | null;
  /** The node that it was given to, until that has handed in what it had. */
  holder: string | null;
  readonly endListeners: Set<(ended: Job | null) => void>;
  /** Of a job that runs and is not on disk yet: how it gets there (uncommitted.ts). Null for any other. */
  uncommitted: Uncommitted | null;
};

type LiveLease = {
  readonly token: string;
  readonly nodeId: string;
  readonly sinceMs: number;
  untilMs: number;
  readonly lost: AbortController;
};

export type Dispatcher = {
  /** A job that may be leased at once. */
  offer(job: LiveJob): void;
  /** A job that may be leased after `delayMs`. */
  offerLater(job: LiveJob, delayMs: number): void;
  /** A job that was leased and is to be leased again at once, before the others of its key: nothing of it has failed. */
  putBack(job: LiveJob): void;
  /**
   * The next job that the node can run, of a key that may run one more; null when none came in time. The last free slots of a node
   * are given to accounts alone that have nothing running in slots of the kind.
   */
  next(
    asking: AskingNode<SearchJobRequest>,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<LiveJob | null>;
  /** Looks again whether what waits can be given to nodes that wait: what they can run has changed, or whether they are open. */
  wakeNodes(): void;
  /** Jobs that the node was given and has not handed in. */
  runningOf(nodeId: string): number;
  /** The node has handed in what it had: the key may run another. */
  release(job: LiveJob): void;
  /** The lease that a node has on the job is lost, and its key may run another. */
  loseLease(job: LiveJob): void;
  /**
   * The job has ended: whoever waits for that is told, with the job as it stands where that is known, and a node that runs it
   * all the same has lost its lease.
   */
  end(uuid: string, ended?: Job | null): void;
  /**
   * Resolves when the job ends, `waitMs` pass, the signal aborts or the server stops; with the ended job, or null when it has to
   * be looked up.
   */
  waitForEnd(job: LiveJob, waitMs: number, signal?: AbortSignal): Promise<Job | null>;
  get(uuid: string): LiveJob | undefined;
  all(): Iterable<LiveJob>;
  /** Jobs that wait for a node. */
  depth(): number;
  /** Sends everyone who waits away, now and from now on. */
  stop(): void;
};

/** So long a job waits for another node than those that it failed on. */
const keptFromMs = 5_000;

const nobody: ReadonlySet<string> = new Set();

/**
 * `maxRunningPerKey` null: a key may run as many jobs as there are slots. `hasOtherNodeFor` tells whether a node is there that can run it besides those: a job that failed waits a little for such a
 * one, and goes to whoever asks after that, and at once where there is none.
 */
export function createDispatcher(
  clock: Clock,
  maxRunningPerKey: number | null,
  hasOtherNodeFor: (request: SearchJobRequest, nodeIds: ReadonlySet<string>) => boolean,
): Dispatcher {
  const jobs = new Map<string, LiveJob>();
  const queue = createFairQueue<LiveJob>(maxRunningPerKey ?? Number.POSITIVE_INFINITY);
  const idleNodes = createIdleNodes<LiveJob>();
  const running = new Map<string, number>();
  const stopping = new AbortController();
  let waiting = 0;

  function setPhase(job: LiveJob, phase: LiveJob["phase"]): void {
    if (jobs.has(job.uuid)) waiting -= isWaiting(job) ? 1 : 0;
    else jobs.set(job.uuid, job);
    job.phase = phase;
    waiting += isWaiting(job) ? 1 : 0;
  }

  function offer(job: LiveJob): void {
    setPhase(job, "waiting");
    keepFromFailed(job);
    queue.add(job);
    wakeNodes();
  }

  function putBack(job: LiveJob): void {
    setPhase(job, "waiting");
    keepFromFailed(job);
    queue.putBack(job);
    wakeNodes();
  }

  /** A node that is broken has the least to do, and would be given what it has failed again and again. */
  function keepFromFailed(job: LiveJob): void {
    const { failedOn, taken } = job;
    if (failedOn.size === 0 || !hasOtherNodeFor(taken.request, failedOn)) {
      keepFrom(job, nobody);
      return;
    }
    const keptFrom = new Set(failedOn);
    keepFrom(job, keptFrom);
    clock.sleep(keptFromMs, stopping.signal).then(
      () => {
        const isStillKept = job.phase === "waiting" && job.keptFrom === keptFrom;
        if (!isStillKept || jobs.get(job.uuid) !== job) return;
        queue.remove(job);
        keepFrom(job, nobody);
        queue.putBack(job);
        wakeNodes();
      },
      () => undefined,
    );
  }

  function keepFrom(job: LiveJob, nodeIds: ReadonlySet<string>): void {
    job.keptFrom = nodeIds;
    job.kind = [job.work, ...[...nodeIds].toSorted()].join(" not ");
  }

  function offerLater(job: LiveJob, delayMs: number): void {
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
    while (!queue.isIdle() && idleNodes.giveOne(takeForIdle));
  }

  /** For a request that waits. */
  const takeForIdle = (asking: AskingNode<SearchJobRequest>): LiveJob | null =>
    take(asking, idleNodes.waitingOf(asking));

  /** `free`: how many of its slots are free, the one of this request included. */
  function take(asking: AskingNode<SearchJobRequest>, free: number): LiveJob | null {
    // Jobs of one kind of work may be kept from several nodes: the node is asked about the work once.
    const runs = new Map<string, boolean>();
    const job = queue.take(
      ({ work, keptFrom, taken: { request } }) => {
        if (keptFrom.has(asking.nodeId)) return false;
        const canRun = runs.get(work) ?? canBeGiven(asking, request);
        runs.set(work, canRun);
        return canRun;
      },
      free <= reservedSlots(asking.slots?.() ?? 0),
    );
    if (job === null) return null;
    setPhase(job, "leased");
    hold(job, asking.nodeId);
    asking.onGiven?.();
    return job;
  }

  function hold(job: LiveJob, nodeId: string): void {
    job.holder = nodeId;
    running.set(nodeId, runningOf(nodeId) + 1);
  }

  function letGo(job: LiveJob): void {
    if (job.holder === null) return;
    const left = runningOf(job.holder) - 1;
    if (left > 0) running.set(job.holder, left);
    else running.delete(job.holder);
    job.holder = null;
  }

  const runningOf = (nodeId: string): number => running.get(nodeId) ?? 0;

  async function next(
    asking: AskingNode<SearchJobRequest>,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<LiveJob | null> {
    if (stopping.signal.aborted) return null;
    const ready = isOpen(asking) ? take(asking, idleNodes.waitingOf(asking) + 1) : null;
    if (ready !== null) return ready;
    return await firstOf<LiveJob>(clock, waitMs, signal, (give) => idleNodes.add(asking, give));
  }

  function release(job: LiveJob): void {
    if (job.phase !== "leased") return;
    setPhase(job, "ending");
    letGo(job);
    queue.release(job);
    wakeNodes();
  }

  function loseLease(job: LiveJob): void {
    const { phase, lease } = job;
    job.lease = null;
    if (phase === "leased") lease?.lost.abort(leaseLost);
    release(job);
  }

  function end(uuid: string, ended: Job | null = null): void {
    const job = jobs.get(uuid);
    if (job === undefined) return;
    loseLease(job);
    if (job.phase === "waiting") queue.remove(job);
    waiting -= isWaiting(job) ? 1 : 0;
    jobs.delete(uuid);
    job.uncommitted?.commit();
    for (const tell of [...job.endListeners]) tell(ended);
  }

  async function waitForEnd(
    job: LiveJob,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Job | null> {
    if (stopping.signal.aborted) return null;
    return await firstOf<Job>(clock, waitMs, signal, (give) => {
      job.endListeners.add(give);
      return () => job.endListeners.delete(give);
    });
  }

  function stop(): void {
    stopping.abort();
    idleNodes.sendAway();
    for (const job of jobs.values()) {
      for (const tell of [...job.endListeners]) tell(null);
    }
  }

  return {
    offer,
    offerLater,
    putBack,
    next,
    wakeNodes,
    runningOf,
    release,
    loseLease,
    end,
    waitForEnd,
    get: (uuid) => jobs.get(uuid),
    all: () => jobs.values(),
    depth: () => waiting,
    stop,
  };
}

/** Why the work on a lease stops; one for all, as an abort without a reason makes an exception each time. */
const leaseLost = new Error("the lease is lost");

function canBeGiven(
  { methods, accepts }: AskingNode<SearchJobRequest>,
  request: SearchJobRequest,
): boolean {
  return methods.includes(request.method) && (accepts === undefined || accepts(request));
}

function isWaiting(job: LiveJob): boolean {
  return job.phase === "waiting" || job.phase === "delayed";
}
