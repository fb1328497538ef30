import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import { startSlices } from "../../lib/slices.ts";
import { createActiveJob } from "../dispatch/active-job.ts";
import type { ActiveJob, Dispatcher } from "../dispatch/dispatcher.ts";
import type { EndedJobs } from "../ends/ended-jobs.ts";
import type { JobOperations } from "../operations.ts";
import type { ChangeReaders } from "../reads/change-readers.ts";
import type { JobSnapshot } from "../reads/visible-change.ts";
import { hasEnded, shownState } from "../states.ts";
import { resultlessJobFromRow } from "../stored.ts";
import type { ForeignChange } from "./gateway.ts";
import type { UnfinishedJob } from "./recovery-operations.ts";

/**
 * Synchronises the jobs in memory with other gateways on a shared store. Each gateway queues all
 * unfinished jobs by the same rules, and leases them by compare-and-set: outdated memory may cause
 * a refused lease, but no job is lost.
 */
export type OtherGateways = {
  applyForeignChanges(changes: readonly ForeignChange[]): Promise<void>;
  reload(uuids: readonly string[] | null): Promise<void>;
  adopt(rows: readonly UnfinishedJob[]): Promise<void>;
  /** Recovers jobs from dead gateways; rereads jobs whose lease was refused. */
  sweep(): Promise<void>;
};

type OtherGatewaysContext = {
  store: Store<JobOperations>;
  clock: Clock;
  now: () => number;
  gatewayId: string;
  dispatcher: Dispatcher;
  endedJobs: Pick<EndedJobs, "forget">;
  readers: Pick<ChangeReaders, "report" | "readAgain">;
  reportSnapshot: (snapshot: JobSnapshot) => void;
  onForeignEnd: () => void;
};

export function createOtherGateways(context: OtherGatewaysContext): OtherGateways {
  const { store, clock, now, gatewayId, dispatcher, endedJobs, readers } = context;

  async function applyForeignChanges(changes: readonly ForeignChange[]): Promise<void> {
    const unknownUuids = new Set<string>();
    for (const change of changes) if (!applyForeignChange(change)) unknownUuids.add(change.uuid);
    if (unknownUuids.size > 0) await reload([...unknownUuids]);
  }

  /** False if the row must be read. */
  function applyForeignChange(foreign: ForeignChange): boolean {
    const { uuid, accountId, state, change, attempts, changedMs: atMs, notBeforeMs } = foreign;
    if (state === null || hasEnded(state)) endedJobs.forget(uuid);
    if (state !== null) {
      const visibleState = shownState({ state, notBeforeMs, expiresMs: null }, now());
      readers.report(accountId, { id: change, uuid, state: visibleState, attempts, atMs });
    }
    const job = dispatcher.get(uuid);
    if (state === null || hasEnded(state)) {
      if (job !== undefined) dispatcher.end(uuid);
      context.onForeignEnd();
      return true;
    }
    if (job === undefined) return false;
    if (change <= job.change) return true;
    job.change = change;
    if (state === "in progress") dispatcher.leaseRemotely(job);
    else requeueLater(job, notBeforeMs);
    return true;
  }

  function requeueLater(job: ActiveJob, notBeforeMs: number): void {
    if (job.phase === "waiting" || job.phase === "delayed") return;
    dispatcher.loseLease(job);
    dispatcher.offerLater(job, notBeforeMs - now());
  }

  async function reload(uuids: readonly string[] | null): Promise<void> {
    const knownUuids = uuids ?? committedUuids();
    const rows = await store.read("unfinishedJobs", { uuids });
    await adopt(rows);
    await recoverOwnJobs(rows);
    const unfinishedUuids = new Set(rows.map(({ uuid }) => uuid));
    for (const uuid of knownUuids) if (!unfinishedUuids.has(uuid)) endMissing(uuid);
    if (uuids === null) readers.readAgain();
  }

  /**
   * Call this before reading the table: a job without a change number may be committed in between.
   */
  const committedUuids = (): string[] =>
    [...dispatcher.activeJobs()].filter(({ change }) => change > 0).map(({ uuid }) => uuid);

  /** Skips a job with a lease: its completion ends it. */
  function endMissing(uuid: string): void {
    const job = dispatcher.get(uuid);
    if (job !== undefined && job.change > 0 && job.lease === null) dispatcher.end(uuid);
  }

  async function adopt(rows: readonly UnfinishedJob[]): Promise<void> {
    const yieldIfDue = startSlices(clock);
    for (const row of rows) {
      await yieldIfDue();
      adoptOne(row);
    }
  }

  function adoptOne(row: UnfinishedJob): void {
    const { uuid, state, gateway, change, notBeforeMs, deadlineMs } = row;
    const nowMs = now();
    const isRunning = state === "in progress";
    const knownJob = dispatcher.get(uuid);
    if (isRunning && gateway === gatewayId) return;
    if (knownJob !== undefined && isOlder(row, knownJob)) return;
    const job =
      knownJob ??
      createActiveJob(resultlessJobFromRow(row, nowMs), clock.elapsed() + deadlineMs - nowMs);
    job.change = change;
    if (isRunning) dispatcher.leaseRemotely(job);
    else if (knownJob === undefined) dispatcher.offerLater(job, notBeforeMs - nowMs);
    else requeueLater(job, notBeforeMs);
  }

  /** After a refused lease, a row with the job's latest change number is still needed. */
  function isOlder(row: UnfinishedJob, job: ActiveJob): boolean {
    if (job.uncommittedJob !== null) return true;
    return isRefused(job) ? row.change < job.change : row.change <= job.change;
  }

  /** The write of a lease can time out but still be committed, so that no node has the lease. */
  async function recoverOwnJobs(rows: readonly UnfinishedJob[]): Promise<void> {
    const lostRows = rows.filter(({ uuid, state, gateway }) => {
      if (state !== "in progress" || gateway !== gatewayId) return false;
      const job = dispatcher.get(uuid);
      return job === undefined || isRefused(job);
    });
    if (lostRows.length === 0) return;
    const jobs = lostRows.map(({ uuid, change }) => ({ uuid, change }));
    requeueAll(await store.write("recoverOwn", { gateway: gatewayId, jobs, nowMs: now() }));
  }

  function requeueAll(recovered: readonly JobSnapshot[]): void {
    for (const snapshot of recovered) {
      context.reportSnapshot(snapshot);
      const job = dispatcher.get(snapshot.uuid);
      if (job === undefined) continue;
      dispatcher.loseLease(job);
      dispatcher.requeue(job);
    }
  }

  async function sweep(): Promise<void> {
    requeueAll(await store.write("recoverFromOthers", { gateway: gatewayId, nowMs: now() }));
    const elapsedMs = clock.elapsed();
    const refusedJobs = [...dispatcher.activeJobs()].filter(
      (job) => isRefused(job) && job.deadlineMs > elapsedMs,
    );
    if (refusedJobs.length > 0) await reload(refusedJobs.map(({ uuid }) => uuid));
  }

  return { applyForeignChanges, reload, adopt, sweep };
}

const isRefused = ({ phase, lease, uncommittedJob }: ActiveJob): boolean =>
  phase === "ending" && lease === null && uncommittedJob === null;
