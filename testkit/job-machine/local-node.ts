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
  submitted: Promise<Outcome>;
  lease: Lease<SearchJobRequest>;
  leased(): KnownJob;
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
  const removed = new AbortController();
  const leasing = queue.lease(node, 1, removed.signal);
  let earlier: Lease<SearchJobRequest> | null = null;
  leasing.then(
    (lease) => {
      earlier = lease;
    },
    () => undefined,
  );
  await machine.settle();
  if (earlier !== null) {
    onOther(earlier);
    return null;
  }
  const submittedMs = clock.elapsed();
  const submitted = settleOutcome(queue.submit(job));
  await machine.settle();
  removed.abort();
  const lease = await leasing;
  if (lease === null) {
    onWaiting(await submitted);
    return null;
  }
  assert.equal(lease.attempt, 1);
  assert.equal(lease.remainingMs, machineSettings.deadlineMs);
  assert(lease.accepted !== undefined, "the job was committed before it ran");
  const row = await machine.disk.get("SELECT 1 FROM job WHERE uuid = :uuid", { uuid: lease.uuid });
  assert.equal(row, undefined);
  const leased = (): KnownJob => {
    const known = newKnownJob(machine, lease.uuid, job.accountId, job.keyId);
    const deadlineMs = submittedMs + machineSettings.deadlineMs;
    known.deadline = { fromMs: deadlineMs, toMs: deadlineMs };
    known.state = "in progress";
    known.attempts = 1;
    known.tokens.push(lease.token);
    known.leasedUntilMs = submittedMs + machineSettings.leaseMs;
    return known;
  };
  return { submitted, lease, leased };
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
  { submitted, lease, leased }: UncommittedRun,
  method: (typeof localMethods)[number],
): Promise<KnownJob> {
  const { machine, known } = world;
  const { queue, clock } = machine;
  const { uuid, token } = lease;
  const job = leased();
  if (method === "completes") {
    known.marks += 1n;
    await queue.complete(uuid, token, makeResult(known.marks));
    markDone(world, job, known.marks);
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
  const outcome = await submitted;
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
  { submitted, lease }: UncommittedRun,
  keyed: Action,
): Promise<void> {
  known.marks += 1n;
  const { uuid, token } = lease;
  const completed = await settleOutcome(
    machine.queue.complete(uuid, token, makeResult(known.marks)),
  );
  assert.deepEqual(completed, { code: "lease_lost" });
  await keyed.check(await submitted);
}
