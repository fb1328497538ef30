import assert from "node:assert/strict";
import type { SearchJobRequest } from "../../src/jobs/job.ts";
import type { Lease } from "../../src/jobs/leases/lease.ts";
import type { NewJob } from "../../src/jobs/submissions/submission.ts";
import { maxUncommittedMs } from "../../src/jobs/submissions/submission-commits.ts";
import { type Action, makeResult, type Outcome, settleOutcome } from "./actions.ts";
import { type KnownJob, newKnownJob } from "./known-jobs.ts";
import { localNodeId, machineSettings } from "./machine.ts";
import type { World } from "./world.ts";

const node = { nodeId: localNodeId, methods: ["searchbyquery"] };

export type UncommittedRun = {
  submissionOutcome: Promise<Outcome>;
  lease: Lease<SearchJobRequest>;
  makeLeasedJob(): KnownJob;
};

/** Null if the node gets another job (`onOther` gets its lease), or the key is at its limit. */
export async function submitToLocalNode(
  world: World,
  submission: { job: NewJob },
  onOther: (lease: Lease<SearchJobRequest>) => void,
  onWaiting: (outcome: Outcome) => void,
): Promise<UncommittedRun | null> {
  const { machine } = world;
  const { queue, clock } = machine;
  const { job } = submission;
  const leaseAbort = new AbortController();
  const leasing = queue.lease(node, 1, leaseAbort.signal);
  let earlierLease: Lease<SearchJobRequest> | null = null;
  leasing.then(
    (lease) => {
      earlierLease = lease;
    },
    () => undefined,
  );
  await machine.settle();
  if (earlierLease !== null) {
    onOther(earlierLease);
    return null;
  }
  const submittedMs = clock.elapsed();
  const submissionOutcome = settleOutcome(queue.submit(job));
  await machine.settle();
  leaseAbort.abort();
  const lease = await leasing;
  if (lease === null) {
    onWaiting(await submissionOutcome);
    return null;
  }
  assert.equal(lease.attempt, 1);
  assert.equal(lease.remainingMs, machineSettings.deadlineMs);
  assert(lease.accepted !== undefined, "the job was committed before it ran");
  const row = await machine.disk.get("SELECT 1 FROM job WHERE uuid = :uuid", { uuid: lease.uuid });
  assert.equal(row, undefined);
  const makeLeasedJob = (): KnownJob => {
    const known = newKnownJob(machine, lease.uuid, job.accountId, job.keyId);
    const deadlineMs = submittedMs + machineSettings.deadlineMs;
    known.deadline = { fromMs: deadlineMs, toMs: deadlineMs };
    known.state = "in progress";
    known.attempts = 1;
    known.tokens.push(lease.token);
    known.leasedUntilMs = submittedMs + machineSettings.leaseMs;
    return known;
  };
  return { submissionOutcome, lease, makeLeasedJob };
}

export const localMethods = [
  "completes",
  "completes",
  "completes",
  "takes longer",
  "requests a platform",
  "returns it",
  "renews",
] as const;

export async function runLocally(
  world: World,
  { submissionOutcome, lease, makeLeasedJob }: UncommittedRun,
  method: (typeof localMethods)[number],
): Promise<KnownJob> {
  const { machine, known } = world;
  const { queue, clock } = machine;
  const { uuid, token } = lease;
  const job = makeLeasedJob();
  if (method === "completes") {
    known.markCount += 1n;
    await queue.complete(uuid, token, makeResult(known.markCount));
    markDone(world, job, known.markCount);
  }
  if (method === "takes longer") await machine.pass(maxUncommittedMs);
  if (method === "requests a platform") await lease.accepted?.();
  if (method === "renews") {
    await queue.renew(uuid, token);
    job.leasedUntilMs = clock.elapsed() + machineSettings.leaseMs;
  }
  if (method === "returns it") {
    await queue.returnJob(uuid, token);
    job.state = "received";
    job.attempts = 0;
  }
  const outcome = await submissionOutcome;
  assert("value" in outcome, `the submission of ${uuid} was refused`);
  const { value } = outcome as {
    value: { uuid: string; isRepeated: boolean; job: { state: string } };
  };
  const state = method === "completes" ? "done" : "received";
  assert.deepEqual([value.uuid, value.isRepeated, value.job.state], [uuid, false, state]);
  known.jobs.push(job);
  return job;
}

export function markDone({ machine }: World, job: KnownJob, mark: bigint): void {
  job.state = "done";
  job.mark = mark;
  job.finishedMs = machine.clock.now();
  job.expiresMs = job.finishedMs + machineSettings.resultRetentionMs;
}

/** Its result is dropped, because the submission is a repeat or was rejected. */
export async function completeWithStaleLease(
  { known, machine }: World,
  { submissionOutcome, lease }: UncommittedRun,
  action: Action,
): Promise<void> {
  known.markCount += 1n;
  const { uuid, token } = lease;
  const completionOutcome = await settleOutcome(
    machine.queue.complete(uuid, token, makeResult(known.markCount)),
  );
  assert.deepEqual(completionOutcome, { code: "lease_lost" });
  await action.check(await submissionOutcome);
}
