import type { Store } from "../db/operations.ts";
import type { Clock } from "../lib/clock.ts";
import type { JsonPage } from "../lib/json-page.ts";
import { startSlices } from "../lib/slices.ts";
import type { Method } from "../platforms/methods.ts";
import type { QueryNode } from "../query/tree.ts";
import type { SearchRequest } from "../search/merged-answer.ts";
import type { ShortSearchTerms } from "../search/short-search.ts";
import { createChangeReaders } from "./change-readers.ts";
import { createDispatcher, type LiveJob } from "./dispatcher.ts";
import { createEndedJobs, type KeptPage } from "./ended-jobs.ts";
import type {
  Job,
  JobChange,
  JobResult,
  JobState,
  JobSummary,
  ListPosition,
  SearchJobRequest,
} from "./job.ts";
import { createJobReads } from "./job-reads.ts";
import type { LeaseGateway } from "./lease.ts";
import { createLeases, type FailedAttempt } from "./leases.ts";
import { liveJob } from "./live-job.ts";
import type { JobOperations } from "./operations.ts";
import type { JobSettings } from "./settings.ts";
import { changeOf, jobAfter, resultlessJobOf } from "./stored.ts";
import { createSubmissions } from "./submissions.ts";
import { createSweeper } from "./sweeper.ts";
import type { JobSnapshot } from "./visible-change.ts";
import { createWallClock } from "./wall-clock.ts";

/**
 * The jobs of one server: takes submissions, hands them to nodes, keeps what they hand in. The job table is the truth and
 * every change compares with it; memory knows the jobs that have not ended, so that nothing has to ask the table again and
 * again. The life of a job stands in states.ts.
 */
export type JobQueue = LeaseGateway<SearchJobRequest, JobResult> & {
  /**
   * Takes a job; it is on disk when this resolves. With the idempotency key of an earlier submission of the account it takes
   * none and resolves with that one's. Errors: `overloaded` when too many wait already, `idempotency_mismatch` when the key
   * was used for another request, and those of the store.
   */
  submit(job: NewJob): Promise<SubmittedJob>;
  /** What an earlier submission under this key was answered with; null when there was none. Errors: `idempotency_mismatch`. */
  replayOf(accountId: string, idempotency: Idempotency): Promise<EarlierJob | null>;
  /**
   * Cancels an account's job that has not ended; the node that runs it stops. Forgets one that has ended, with its result.
   * Null when the uuid is unknown or another account's.
   */
  cancel(accountId: string, uuid: string): Promise<"cancelled" | "forgotten" | null>;
  /**
   * Cancels all jobs of an account that have not ended: the nodes that run them stop, held requests are answered, streams of
   * the account's changes end. What the table does not know any more ends as well.
   */
  endAll(accountId: string): Promise<void>;
  /** A page of an account's jobs, newest first, without their results. */
  list(accountId: string, filter: JobFilter): Promise<JobPage>;
  /**
   * What happens to an account's jobs, in order. From `after` on: first where every job stands whose last change came after
   * it, then what happens from now on; null for the latter alone. States between may be left out for a reader that is slower
   * than its jobs, the last state of a job never is. Ends when the signal aborts or the queue stops.
   */
  changes(accountId: string, after: number | null, signal: AbortSignal): AsyncIterable<JobChange>;
  /** The page of a job that ended a moment ago, if nothing in the archive has changed since; given once. */
  takePage(uuid: string): JsonPage | null;
  /** An account's job as it stands; null when the uuid, in capitals or not, is unknown or another account's. */
  find(accountId: string, uuid: string): Promise<Job | null>;
  /** Whether it is an account's job that has not ended; asks memory alone. */
  isUnderWay(accountId: string, uuid: string): boolean;
  /** The same as `find`, after the job has ended; as it stands when `waitMs` pass, the signal aborts or the queue stops before. */
  waitForEnd(
    accountId: string,
    uuid: string,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Job | null>;
  /** Looks again whether nodes that wait can be given what waits: what they can run has changed, or whether they are open. */
  wakeNodes(): void;
  /**
   * Takes back a job that its node could not start: it is `received` again and can be leased after `delayMs`, at once when
   * absent, and the attempt does not count. Does nothing when the lease has ended.
   */
  giveBack(uuid: string, token: string, delayMs?: number): Promise<void>;
  /**
   * Takes back what a node holds that leaves or is sent away: it is `received` again and leased to others at once, and the
   * attempt does not count. How many jobs that were.
   */
  endLeasesOf(nodeId: string): Promise<number>;
  /**
   * Takes back what a node held that was started anew without a word: the attempt counts, as one whose lease has lapsed. What
   * kills its node is not given to one after another until its time is over.
   */
  failLeasesOf(nodeId: string): Promise<void>;
  /** Jobs that a node was given and has not handed in. */
  runningOf(nodeId: string): number;
  /** Jobs that wait for a node. */
  depth(): number;
  /** Takes up what an earlier process left, then keeps watch over deadlines, leases and retention. Before anything else. */
  start(): Promise<void>;
  /** Sends waiting nodes and callers away and ends the watch. What is submitted now waits for the next start. */
  stop(): Promise<void>;
};

/** The key that a client gave its submission, and the SHA-256 of what it asked: 32 bytes. */
export type Idempotency = { key: string; requestHash: Uint8Array };

export type NewJob = Pick<
  Job,
  "accountId" | "keyId" | "request" | "canonicalQuery" | "warnings"
> & {
  idempotency?: Idempotency | null;
  /** The query of a search as it was parsed; a search without it is not answered by the thread that commits it. */
  tree?: QueryNode | null;
};

/** The job of an earlier submission; null when it is not known any more, by its retention or as its client forgot it. */
export type EarlierJob = { uuid: string; job: Job | null };

/** `isReplay`: nothing was taken, the job is that of an earlier submission. */
export type SubmittedJob =
  | { isReplay: false; uuid: string; job: Job }
  | ({ isReplay: true } & EarlierJob);

/** Which jobs to list: null for all. `before` is the `next` of the page before. */
export type JobFilter = {
  states: readonly JobState[] | null;
  methods: readonly Method[] | null;
  before: ListPosition | null;
  limit: number;
};

/** `next` is null on the last page; another one may hold fewer jobs than its limit, or none, where a filter lets few through. */
export type JobPage = { jobs: readonly JobSummary[]; next: ListPosition | null };

type EndState = "done" | "error" | "cancelled";

/** A job that has ended, `ms` after its submission, on which node, and how many posts its result holds. */
export type EndedJob = {
  uuid: string;
  accountId: string;
  keyId: string;
  method: Method;
  state: EndState;
  attempts: number;
  /** Of the last attempt; null where none was made. */
  node: string | null;
  posts: number;
  ms: number;
};

/** What is known of a search before it is answered by the thread that commits it (search-operations.ts). */
export type ShortSearches = {
  termsOf(request: SearchRequest): ShortSearchTerms;
  /** The version of the archive (archive/open.ts); null when no search can be answered. */
  version(): number | null;
  /** Receives each that was, and how long it took from its begin to the commit. */
  onAnswered(request: SearchJobRequest, ms: number): void;
};

export type JobQueueContext = {
  store: Store<JobOperations>;
  clock: Clock;
  /** A fresh UUID, also as the token of a lease. */
  randomUuid: () => string;
  settings: JobSettings;
  /** The node that may run a search before its submission is committed (submissions.ts); none if null or absent. */
  localNodeId?: string | null;
  /** None is answered by the thread that commits it if null or absent. */
  shortSearches?: ShortSearches | null;
  /** Whether a node is there that can run it, for what is said of a job that none has run before its deadline; true if absent. */
  hasNodeFor?: (request: SearchJobRequest) => boolean;
  /** Whether a node is there that can run it besides those that it failed on; false if absent. */
  hasOtherNodeFor?: (request: SearchJobRequest, failedOn: ReadonlySet<string>) => boolean;
  /** Told of each attempt that failed or whose lease lapsed, and of each job that ended. */
  onFailedAttempt?: (attempt: FailedAttempt) => void;
  onEnd?: (ended: EndedJob) => void;
  /** Told of what goes wrong in the watch, which goes on. */
  onFault?: (thrown: unknown) => void;
};

export function createJobQueue(context: JobQueueContext): JobQueue {
  const { store, clock, settings } = context;
  const { now } = createWallClock(clock, (ms) => {
    // What is kept for how long is counted anew.
    endedJobs.forgetAll();
    return store.write("moveTimes", { ms });
  });
  const endedJobs = createEndedJobs(clock, now, settings.retentionMs);
  const hasOtherNodeFor = context.hasOtherNodeFor ?? (() => false);
  const dispatcher = createDispatcher(clock, settings.maxRunningPerKey, hasOtherNodeFor);
  const readers = createChangeReaders(store, now);
  const reads = createJobReads({
    store,
    dispatcher,
    endedJobs,
    now,
    idempotencyMs: settings.idempotencyMs,
  });
  const { submit } = createSubmissions({
    ...context,
    now,
    dispatcher,
    reads,
    localNodeId: context.localNodeId ?? null,
    shortSearches: context.shortSearches ?? null,
    tellChange: readers.tell,
    tellStand,
  });
  const leases = createLeases({ ...context, now, dispatcher, tellStand });
  const { settleAttempt, heldLease } = leases;
  const sweeper = createSweeper({
    ...context,
    now,
    dispatcher,
    heldLease,
    onLapse: (end) => settleAttempt(end, "lapsed"),
    tellStand,
  });

  async function cancel(
    accountId: string,
    uuid: string,
  ): Promise<"cancelled" | "forgotten" | null> {
    const asked = { accountId, uuid: uuid.toLowerCase(), nowMs: now() };
    endedJobs.forget(asked.uuid);
    const outcome = await store.write("cancelJob", asked);
    endedJobs.forget(asked.uuid);
    if (outcome === null || outcome === "forgotten") return outcome;
    tellStand(outcome);
    return "cancelled";
  }

  async function endAll(accountId: string): Promise<void> {
    for (let isMore = true; isMore; ) {
      const part = await store.write("cancelJobsOf", { accountId, nowMs: now() });
      for (const stand of part.stands) tellStand(stand);
      isMore = part.isMore;
    }
    endedJobs.forgetOf(accountId);
    const left = [...dispatcher.all()].filter(({ taken }) => taken.accountId === accountId);
    for (const { uuid } of left) dispatcher.end(uuid);
    readers.end(accountId);
  }

  /** Tells whoever follows the account's jobs, and, when the job has ended, whoever waits for that. */
  function tellStand(
    stand: JobSnapshot,
    result: JobResult | null = null,
    known: { live: LiveJob; page: KeptPage | null } | null = null,
  ): void {
    const { accountId, uuid, state } = stand;
    const nowMs = now();
    readers.tell(accountId, changeOf(stand, nowMs));
    if (state === "expired") endedJobs.forget(uuid);
    const job = dispatcher.get(uuid) ?? known?.live;
    if (job === undefined || !isEnd(state)) return;
    const ended = jobAfter(job.taken, stand, result, nowMs);
    endedJobs.add(ended, known?.page);
    dispatcher.end(uuid, ended);
    const { keyId, request, submittedMs } = job.taken;
    const { method } = request;
    const { attempts, node } = stand;
    const posts = result?.items.length ?? 0;
    const ms = Math.max(0, nowMs - submittedMs);
    context.onEnd?.({ uuid, accountId, keyId, method, state, attempts, node, posts, ms });
  }

  async function start(): Promise<void> {
    const nowMs = now();
    const rows = await store.write("recoverJobs", { nowMs, lifeMs: settings.deadlineMs });
    const letOthers = startSlices(clock);
    for (const row of rows) {
      await letOthers();
      const job = liveJob(resultlessJobOf(row, nowMs), clock.elapsed() + row.deadlineMs - nowMs);
      dispatcher.offerLater(job, row.notBeforeMs - nowMs);
    }
    sweeper.start();
  }

  async function stop(): Promise<void> {
    readers.stop();
    dispatcher.stop();
    await sweeper.stop();
  }

  return {
    submit,
    replayOf: reads.replayOf,
    cancel,
    endAll,
    list: reads.list,
    changes: readers.read,
    takePage: (uuid) =>
      endedJobs.takePage(uuid.toLowerCase(), context.shortSearches?.version() ?? null),
    find: reads.find,
    isUnderWay: reads.isUnderWay,
    waitForEnd: reads.waitForEnd,
    lease: leases.lease,
    renew: leases.renew,
    complete: leases.complete,
    fail: leases.fail,
    wakeNodes: dispatcher.wakeNodes,
    giveBack: leases.giveBack,
    endLeasesOf: leases.endLeasesOf,
    failLeasesOf: leases.failLeasesOf,
    runningOf: dispatcher.runningOf,
    depth: dispatcher.depth,
    start,
    stop,
  };
}

function isEnd(state: JobState): state is EndState {
  return state === "done" || state === "error" || state === "cancelled";
}
