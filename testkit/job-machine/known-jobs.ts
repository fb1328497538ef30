import assert from "node:assert/strict";
import type { JobState } from "../../src/jobs/job.ts";
import { type Machine, machineSettings } from "./machine.ts";

/** Durations are measured with the monotonic clock. */
export type KnownJob = {
  readonly uuid: string;
  readonly accountId: string;
  readonly keyId: string;
  state: JobState;
  attempts: number;
  tokens: string[];
  leasedUntilMs: number;
  /** Earliest start of the next attempt. */
  nextAttempt: TimeRange;
  deadline: TimeRange;
  finishedMs: number;
  expiresMs: number;
  mark: bigint | null;
  failure: string | null;
  isForgotten: boolean;
};

/** An interval, because sweeps run once per second. */
type TimeRange = { fromMs: number; toMs: number };

export type KnownKey = { hash: string; uuid: string | null; createdMs: number };

export type KnownState = {
  jobs: KnownJob[];
  keys: Map<string, KnownKey>;
  /** Highest wall clock time seen. */
  latestWallMs: number;
  markCount: bigint;
};

export function emptyKnownState(machine: Machine): KnownState {
  return { jobs: [], keys: new Map(), latestWallMs: machine.clock.now(), markCount: 0n };
}

export function newKnownJob(machine: Machine, uuid: string, accountId: string, keyId: string) {
  const deadlineMs = machine.clock.elapsed() + machineSettings.deadlineMs;
  const job: KnownJob = {
    uuid,
    accountId,
    keyId,
    state: "received",
    attempts: 0,
    tokens: [],
    leasedUntilMs: 0,
    nextAttempt: { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY },
    deadline: { fromMs: deadlineMs, toMs: deadlineMs },
    finishedMs: 0,
    expiresMs: Number.POSITIVE_INFINITY,
    mark: null,
    failure: null,
    isForgotten: false,
  };
  return job;
}

export const hasEnded = (state: JobState): boolean =>
  state === "done" || state === "error" || state === "cancelled" || state === "expired";

const sweepIntervalMs = 1_000;

/** Accepts only effects of time that are due. */
export async function compare(machine: Machine, known: KnownState): Promise<void> {
  known.latestWallMs = Math.max(known.latestWallMs, machine.clock.now());
  for (const job of known.jobs) if (!job.isForgotten) await compareJob(machine, known, job);
}

async function compareJob(machine: Machine, known: KnownState, job: KnownJob): Promise<void> {
  const { clock, disk } = machine;
  const elapsedMs = clock.elapsed();
  const { accountId, uuid } = job;
  const row = await disk.store.read("findJob", { accountId, uuid });
  if (row === null) {
    const removedMs = job.finishedMs + machineSettings.retentionMs;
    assert(hasEnded(job.state) && known.latestWallMs >= removedMs, `${describeJob(job)} was lost`);
    job.isForgotten = true;
    return;
  }
  if (row.state !== job.state || row.attempts !== job.attempts) {
    const failure = row.failure === null ? null : JSON.parse(row.failure).code;
    const transition = `${describeJob(job)} became ${row.state} ${failure ?? ""}, attempt ${row.attempts}`;
    assert(!hasEnded(job.state) || row.state === "expired", `${transition}, after its end`);
    assert(row.attempts === job.attempts, transition);
    const isLeaseValid = job.state === "in progress" && elapsedMs < job.leasedUntilMs;
    if (row.state === "expired") {
      assert(
        job.state === "done" && known.latestWallMs >= job.expiresMs,
        `${transition} too early`,
      );
    } else if (row.state === "error(retrying)") {
      assert(
        job.state === "in progress" && !isLeaseValid,
        `${transition} while its lease was valid`,
      );
      const { retryDelayMs } = machineSettings;
      const fromMs = job.leasedUntilMs + retryDelayMs * 2 ** (job.attempts - 1);
      job.nextAttempt = { fromMs, toMs: fromMs + sweepIntervalMs };
    } else if (row.state === "error" && failure === "node_lost") {
      assert(
        job.state === "in progress" && !isLeaseValid,
        `${transition} while its lease was valid`,
      );
    } else if (row.state === "error" && (failure === "deadline" || failure === "no_slot")) {
      assert(failure === "deadline" || job.attempts === 0, `${transition} after an attempt`);
      const graceMs = isLeaseValid ? machineSettings.deadlineGraceMs : 0;
      assert(elapsedMs >= job.deadline.fromMs + graceMs, `${transition} too early`);
    } else assert.fail(transition);
    job.state = row.state;
    job.failure = failure;
    job.finishedMs = row.finishedMs ?? 0;
  }
  const isLate = elapsedMs > job.deadline.toMs + machineSettings.deadlineGraceMs + sweepIntervalMs;
  assert(hasEnded(job.state) || !isLate, `${describeJob(job)} is past its deadline`);
  const isLapsed = job.state === "in progress" && elapsedMs > job.leasedUntilMs + sweepIntervalMs;
  assert(!isLapsed, `${describeJob(job)} has a lease that has expired`);
  assert.equal(row.accountId, job.accountId);
  const mark = row.result === null ? null : BigInt(JSON.parse(row.result).positions[0][1]);
  assert.equal(mark, job.state === "done" ? job.mark : null, `the result of ${describeJob(job)}`);
}

/** A restart loses leases and resumes deadlines as last recorded. */
export function afterRestart(machine: Machine, known: KnownState, diedMs: number): void {
  const nowMs = machine.clock.elapsed();
  for (const job of known.jobs) {
    const { deadlineMs } = machineSettings;
    const fromMs = nowMs + job.deadline.fromMs - diedMs;
    const toMs = Math.min(nowMs + job.deadline.toMs - diedMs + sweepIntervalMs, nowMs + deadlineMs);
    job.deadline = { fromMs: Math.min(fromMs, toMs), toMs };
    const latestMs = nowMs + job.nextAttempt.toMs - diedMs + sweepIntervalMs;
    job.nextAttempt = { fromMs: Number.NEGATIVE_INFINITY, toMs: latestMs };
    if (job.state !== "in progress") continue;
    job.state = "received";
    job.attempts -= 1;
  }
}

export function describeJob(job: KnownJob): string {
  return `job ${job.uuid.slice(0, 8)} (${job.state}, attempt ${job.attempts})`;
}
