import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { JobResult } from "../../src/jobs/job.ts";
import type { Idempotency, SubmittedJob } from "../../src/jobs/submissions/submission.ts";
import { EarshotError } from "../../src/lib/errors.ts";
import { describeJob, hasEnded, type KnownJob, type KnownKey, newKnownJob } from "./known-jobs.ts";
import { machineSettings } from "./machine.ts";
import { newJob, type World } from "./world.ts";

/** Actions start when called, so that several can start in one tick; `check` compares the outcomes. */
export type Action = { begin(): Promise<unknown>; check(outcome: Outcome): void | Promise<void> };

export type Outcome = { value: unknown } | { code: string };

export async function settleOutcome(promise: Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await promise };
  } catch (thrown) {
    if (thrown instanceof EarshotError) return { code: thrown.code };
    throw thrown;
  }
}

const leaseLost = { code: "lease_lost" };
const mismatch = { code: "idempotency_mismatch" };

export function submission(world: World, accountId: string, keyId: string): Action {
  const { machine, known } = world;
  return {
    begin: () => machine.queue.submit(newJob(accountId, keyId)),
    check: (outcome) => {
      const { isRepeated, uuid } = submittedJob(outcome);
      assert(!isRepeated);
      known.jobs.push(newKnownJob(machine, uuid, accountId, keyId));
    },
  };
}

export type KeyedSearch = { accountId: string; key: string; query: string };

export function makeIdempotency({ key, query }: KeyedSearch): Idempotency {
  return { key, requestHash: createHash("sha256").update(query).digest() };
}

/** `either` if the clock went back after the key may have been swept. */
export function earlierRequest(
  world: World,
  { accountId, key }: KeyedSearch,
): KnownKey | "either" | null {
  const { machine, known } = world;
  const earlierKey = known.keys.get(`${accountId} ${key}`);
  if (earlierKey === undefined) return null;
  const endMs = earlierKey.createdMs + machineSettings.idempotencyMs;
  if (machine.clock.now() >= endMs) return null;
  return known.latestWallMs >= endMs ? "either" : earlierKey;
}

export function keyedSubmission(world: World, search: KeyedSearch): Action {
  const { machine, known } = world;
  const { accountId, key, query } = search;
  const name = `${accountId} ${key}`;
  const job = { ...newJob(accountId, `${accountId}-0`), idempotency: makeIdempotency(search) };
  return {
    begin: () => machine.queue.submit(job),
    check: (outcome) => {
      const expected = earlierRequest(world, search);
      const earlierKey = expected === "either" ? (known.keys.get(name) ?? null) : expected;
      if ("code" in outcome) {
        assert.deepEqual(outcome, mismatch);
        assert(
          earlierKey !== null && earlierKey.hash !== query,
          "a mismatch without an earlier request",
        );
        return;
      }
      const { isRepeated, uuid } = submittedJob(outcome);
      if (isRepeated) {
        assert(
          earlierKey !== null && earlierKey.hash === query,
          "a replay without an earlier request",
        );
        assert.equal(uuid, earlierKey.uuid);
        return;
      }
      assert(expected === null || expected === "either", "a second job under one key");
      known.jobs.push(newKnownJob(machine, uuid, accountId, `${accountId}-0`));
      known.keys.set(name, { hash: query, uuid, createdMs: machine.clock.now() });
    },
  };
}

function submittedJob(outcome: Outcome): SubmittedJob {
  assert("value" in outcome, "a submission was refused");
  return outcome.value as SubmittedJob;
}

export function completion(world: World, job: KnownJob, token: string): Action {
  const { machine, known } = world;
  known.markCount += 1n;
  const mark = known.markCount;
  return {
    begin: () => machine.queue.complete(job.uuid, token, makeResult(mark)),
    check: (outcome) => {
      if (!hasLease(job, token)) {
        assert.deepEqual(outcome, leaseLost, `a result of ${describeJob(job)}`);
        return;
      }
      assert("value" in outcome, `the result of ${describeJob(job)} was not accepted`);
      endJob(world, job, "done");
      job.mark = mark;
      job.expiresMs = job.finishedMs + machineSettings.resultRetentionMs;
    },
  };
}

export function failureReport(
  world: World,
  job: KnownJob,
  token: string,
  retryable: boolean,
): Action {
  const { machine } = world;
  const failure = { code: "broken", message: "", status: 500, retryable };
  return {
    begin: () => machine.queue.fail(job.uuid, token, failure),
    check: async (outcome) => {
      if (!hasLease(job, token)) {
        assert.deepEqual(outcome, leaseLost, `a failure of ${describeJob(job)}`);
        return;
      }
      assert("value" in outcome, `the failure of ${describeJob(job)} was not accepted`);
      const { retryDelayMs, maxAttempts } = machineSettings;
      const nextMs = machine.clock.elapsed() + retryDelayMs * 2 ** (job.attempts - 1);
      const isRetried = retryable && job.attempts < maxAttempts && nextMs < job.deadline.fromMs;
      // Between the two times, the next comparison decides.
      if (isRetried) {
        job.state = "error(retrying)";
        job.nextAttempt = { fromMs: nextMs, toMs: nextMs };
      } else if (!retryable || job.attempts === maxAttempts || nextMs >= job.deadline.toMs) {
        endJob(world, job, "error");
        job.failure = "broken";
      } else await adoptState(world, job, nextMs);
    },
  };
}

async function adoptState(world: World, job: KnownJob, nextMs: number): Promise<void> {
  const row = await world.machine.disk.get<{ state: string }>(
    "SELECT state FROM job WHERE uuid = :uuid",
    { uuid: job.uuid },
  );
  if (row?.state === "error") endJob(world, job, "error");
  else {
    job.state = "error(retrying)";
    job.nextAttempt = { fromMs: nextMs, toMs: nextMs };
  }
}

export function cancellation(world: World, job: KnownJob, accountId: string): Action {
  return {
    begin: () => world.machine.queue.cancel(accountId, job.uuid.toUpperCase()),
    check: (outcome) => {
      if (accountId !== job.accountId || job.isForgotten) {
        assert.deepEqual(outcome, { value: null }, `a cancellation of ${describeJob(job)}`);
      } else if (hasEnded(job.state)) {
        assert.deepEqual(outcome, { value: "forgotten" }, `a cancellation of ${describeJob(job)}`);
        job.isForgotten = true;
      } else {
        assert.deepEqual(outcome, { value: "cancelled" }, `a cancellation of ${describeJob(job)}`);
        endJob(world, job, "cancelled");
      }
    },
  };
}

export function hasLease(job: KnownJob, token: string): boolean {
  return !job.isForgotten && job.state === "in progress" && job.tokens.at(-1) === token;
}

function endJob(world: World, job: KnownJob, state: "done" | "error" | "cancelled"): void {
  job.state = state;
  job.finishedMs = world.machine.clock.now();
}

export function makeResult(mark: bigint): JobResult {
  return {
    items: [{ id: mark, platform: "x" }],
    next: null,
    complete: true,
    coverage: { fromMs: null, toMs: 2, complete: true, gaps: [] },
    sources: [],
    warnings: [],
  };
}
