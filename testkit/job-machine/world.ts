import assert from "node:assert/strict";
import type { Job, SearchJobRequest } from "../../src/jobs/job.ts";
import type { NewJob } from "../../src/jobs/submissions/submission.ts";
import { createFollowers, type Follower } from "./followers.ts";
import {
  compare,
  describeJob,
  emptyKnownState,
  hasEnded,
  type KnownJob,
  type KnownState,
} from "./known-jobs.ts";
import { type Machine, type MachineEngine, startMachine } from "./machine.ts";

export type World = {
  machine: Machine;
  known: KnownState;
  followers: Follower[];
  waits: Wait[];
  steps: number;
};

type Wait = { job: KnownJob; endsMs: number; startNumber: number; outcome: Job | null | undefined };

export async function makeWorld(engine: MachineEngine): Promise<World> {
  const machine = await startMachine(engine);
  return {
    machine,
    known: emptyKnownState(machine),
    followers: createFollowers(machine),
    waits: [],
    steps: 0,
  };
}

const request: SearchJobRequest = {
  platform: "social",
  type: "social",
  method: "searchbyquery",
  query: "comet",
  maxResults: 20,
  fromMs: 1,
  toMs: 2,
  asOfMs: 0,
  after: null,
};

export function newJob(accountId: string, keyId: string): NewJob {
  return { accountId, keyId, request, canonicalQuery: "comet", warnings: [] };
}

export function wait(world: World, job: KnownJob, ms: number): void {
  const { machine } = world;
  const endsMs = machine.clock.elapsed() + ms;
  const entry: Wait = { job, endsMs, startNumber: machine.starts, outcome: undefined };
  world.waits.push(entry);
  machine.queue.waitForEnd(job.accountId, job.uuid, ms).then(
    (outcome) => {
      entry.outcome = outcome;
    },
    (thrown) => machine.errors.push(thrown),
  );
}

export async function checkWorld(world: World): Promise<void> {
  const { machine, known } = world;
  await machine.settle();
  await compare(machine, known);
  const elapsedMs = machine.clock.elapsed();
  const waitingJobs = known.jobs.filter(
    ({ state, isForgotten }) =>
      !isForgotten && (state === "received" || state === "error(retrying)"),
  );
  // Jobs past their deadline are not leased, and end with the next sweep.
  const lateCount = waitingJobs.filter(({ deadline }) => deadline.fromMs <= elapsedMs).length;
  const depth = machine.queue.depth();
  const isConsistent = depth <= waitingJobs.length && depth >= waitingJobs.length - lateCount;
  assert(isConsistent, `${depth} jobs wait in memory, ${waitingJobs.length} on disk`);
  world.waits = world.waits.filter(({ job, endsMs, startNumber, outcome }) => {
    if (startNumber !== machine.starts) return false;
    const isOver = hasEnded(job.state) || job.isForgotten || elapsedMs >= endsMs;
    assert.equal(outcome !== undefined, isOver, `a wait for ${describeJob(job)}`);
    return !isOver;
  });
}
