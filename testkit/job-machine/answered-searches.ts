import assert from "node:assert/strict";
import { parseQuery } from "@earshot/query";
import type { SearchJobRequest } from "../../src/jobs/job.ts";
import type { Lease } from "../../src/jobs/leases/lease.ts";
import type { NewJob } from "../../src/jobs/submissions/submission.ts";
import { makeResult, type Outcome, settleOutcome } from "./actions.ts";
import { type KnownJob, newKnownJob } from "./known-jobs.ts";
import { markDone } from "./local-node.ts";
import { localNodeId } from "./machine.ts";
import type { World } from "./world.ts";

const node = { nodeId: localNodeId, methods: ["searchbyquery"] };
const { tree } = parseQuery("comet", { maxLength: 100 });

/** If the node gets a job that was already waiting, `onOther` gets its lease and `act` does not run. */
export async function whileAnswering(
  { machine }: World,
  mark: bigint,
  act: () => Promise<void>,
  onOther: (lease: Lease<SearchJobRequest>) => void,
): Promise<void> {
  const leaseAbort = new AbortController();
  const leases: Lease<SearchJobRequest>[] = [];
  const leasing = machine.queue.lease(node, 1, leaseAbort.signal).then(
    (lease) => void (lease !== null && leases.push(lease)),
    () => undefined,
  );
  await machine.settle();
  const [otherLease] = leases;
  if (otherLease !== undefined) return onOther(otherLease);
  machine.answerSearch = () => ({ answer: makeResult(mark), page: null, tookMs: 0 });
  try {
    await act();
  } finally {
    machine.answerSearch = () => "busy";
    leaseAbort.abort();
  }
  await Promise.race([leasing, machine.settle()]);
  assert.deepEqual(leases, [], "an answered job was also leased");
}

export async function submitAnswered(
  world: World,
  { job, mark }: { job: NewJob; mark: bigint },
): Promise<void> {
  const outcome = await settleOutcome(world.machine.queue.submit({ ...job, tree }));
  recordAnswered(world, job, mark, outcome);
}

function recordAnswered(world: World, job: NewJob, mark: bigint, outcome: Outcome): void {
  assert("value" in outcome);
  const { uuid, job: submittedJob } = outcome.value as { uuid: string; job: { state: string } };
  const known = newKnownJob(world.machine, uuid, job.accountId, job.keyId);
  if (submittedJob.state === "done") markAnswered(world, known, mark);
  world.known.jobs.push(known);
}

export function markAnswered(world: World, known: KnownJob, mark: bigint): void {
  known.attempts = 1;
  markDone(world, known, mark);
}

export const submission = ({ machine }: World, job: NewJob) => ({
  begin: () => machine.queue.submit({ ...job, tree }),
  check: () => undefined,
});
