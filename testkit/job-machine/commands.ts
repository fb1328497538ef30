import assert from "node:assert/strict";
import fc from "fast-check";
import type { SearchJobRequest } from "../../src/jobs/job.ts";
import type { Lease } from "../../src/jobs/leases/lease.ts";
import { shownState } from "../../src/jobs/states.ts";
import type { NewJob } from "../../src/jobs/submissions/submission.ts";
import {
  type Action,
  cancellation,
  completion,
  earlierRequest,
  failureReport,
  hasLease,
  type KeyedSearch,
  keyedSubmission,
  makeIdempotency,
  makeResult,
  type Outcome,
  settleOutcome,
  submission,
} from "./actions.ts";
import {
  submission as answeredSubmission,
  markAnswered,
  submitAnswered,
  whileAnswering,
} from "./answered-searches.ts";
import { afterRestart, describeJob, hasEnded, type KnownJob, newKnownJob } from "./known-jobs.ts";
import {
  completeWithStaleLease,
  localMethods,
  markDone,
  runLocally,
  submitToLocalNode,
  type UncommittedRun,
} from "./local-node.ts";
import { accounts, machineSettings } from "./machine.ts";
import { checkWorld, newJob, type World, wait } from "./world.ts";

type Command = fc.AsyncCommand<object, World>;

const node = { nodeId: "node", methods: ["searchbyquery"] };

function command(text: string, run: (world: World) => Promise<void>): Command {
  return {
    check: () => true,
    run: async (_, world) => {
      world.steps += 1;
      await run(world);
      await checkWorld(world);
    },
    toString: () => text,
  };
}

function onJob(text: string, index: number, run: (world: World, job: KnownJob) => Promise<void>) {
  return command(`${text} ${index}`, async (world) => {
    // Newest first: they have more transitions left.
    const job = world.known.jobs.at(-1 - (index % Math.max(1, world.known.jobs.length)));
    if (job !== undefined) await run(world, job);
  });
}

async function act(...actions: readonly Action[]): Promise<void> {
  const outcomes = actions.map((action) => settleOutcome(action.begin()));
  for (const [index, outcome] of (await Promise.all(outcomes)).entries()) {
    await actions[index]?.check(outcome);
  }
}

async function leaseOne(world: World): Promise<KnownJob | null> {
  const { machine } = world;
  return recordLease(world, await machine.queue.lease(node, 0));
}

function recordLease(world: World, lease: Lease<SearchJobRequest> | null): KnownJob | null {
  const { machine, known } = world;
  const nowMs = machine.clock.elapsed();
  const runs = (keyId: string) =>
    known.jobs.filter((job) => job.keyId === keyId && job.state === "in progress").length;
  const mayRun = (job: KnownJob) =>
    !job.isForgotten &&
    (job.state === "received" || job.state === "error(retrying)") &&
    job.nextAttempt.fromMs <= nowMs &&
    nowMs < job.deadline.toMs &&
    runs(job.keyId) < machineSettings.maxRunningPerKey;
  if (lease === null) {
    const missedJob = known.jobs.find(
      (job) => mayRun(job) && job.nextAttempt.toMs <= nowMs && nowMs < job.deadline.fromMs,
    );
    assert(missedJob === undefined, `${missedJob && describeJob(missedJob)} was not leased`);
    return null;
  }
  const job = known.jobs.find(({ uuid }) => uuid === lease.uuid);
  assert(job !== undefined && mayRun(job), `${job && describeJob(job)} was leased`);
  assert.equal(lease.attempt, job.attempts + 1);
  assert(
    lease.remainingMs >= job.deadline.fromMs - nowMs &&
      lease.remainingMs <= job.deadline.toMs - nowMs,
  );
  job.state = "in progress";
  job.attempts += 1;
  job.tokens.push(lease.token);
  job.leasedUntilMs = nowMs + machineSettings.leaseMs;
  return job;
}

function runUncommitted(
  world: World,
  job: NewJob,
  action?: Pick<Action, "check">,
): Promise<UncommittedRun | null> {
  const { machine, known } = world;
  const { accountId, keyId } = job;
  const check = (outcome: Outcome) => {
    assert("value" in outcome);
    const { uuid } = outcome.value as { uuid: string };
    known.jobs.push(newKnownJob(machine, uuid, accountId, keyId));
  };
  return submitToLocalNode(
    world,
    { job },
    (lease) => recordLease(world, lease),
    action?.check ?? check,
  );
}

async function dieWith(
  world: World,
  point: "before commit" | "after commit",
  action: Action | null,
  outcome: (world: World) => void | Promise<void>,
): Promise<void> {
  const { machine, known } = world;
  const diedMs = machine.clock.elapsed();
  action?.begin().catch(() => undefined);
  await machine.die(point);
  if (point === "after commit") await outcome(world);
  await machine.start();
  afterRestart(machine, known, diedMs);
}

async function adopt(world: World, accountId: string): Promise<void> {
  const { machine, known } = world;
  const filter = {
    states: null,
    methods: null,
    platforms: null,
    text: null,
    before: null,
    limit: 100,
  };
  const { jobs } = await machine.queue.list(accountId, filter);
  const unknownJobs = jobs.filter(({ uuid }) => !known.jobs.some((job) => job.uuid === uuid));
  assert(unknownJobs.length <= 1, "more jobs than submissions");
  for (const { uuid, keyId } of unknownJobs) {
    known.jobs.push(newKnownJob(machine, uuid, accountId, keyId));
    for (const key of known.keys.values()) key.uuid ??= uuid;
  }
}

async function adoptAnswered(world: World, { accountId }: NewJob, mark: bigint): Promise<void> {
  const { known } = world;
  const countBefore = known.jobs.length;
  await adopt(world, accountId);
  for (const job of known.jobs.slice(countBefore)) {
    const row = await world.machine.disk.get<{ state: string }>(
      "SELECT state FROM job WHERE uuid = :uuid",
      { uuid: job.uuid },
    );
    if (row?.state === "done") markAnswered(world, job, mark);
  }
}

function repeat(times: number, draw: () => fc.Arbitrary<Command>): fc.Arbitrary<Command>[] {
  return Array.from({ length: times }, draw);
}

const account = fc.constantFrom(...accounts);
const jobIndex = fc.oneof(fc.nat({ max: 2 }), fc.nat({ max: 30 }));
const keyedSearch: fc.Arbitrary<KeyedSearch> = fc.record({
  accountId: account,
  key: fc.constantFrom("k1", "k2"),
  query: fc.constantFrom("comet", "comet", "meteor"),
});
const crashPoint = fc.constantFrom("before commit" as const, "after commit" as const);
/** Mostly the current lease. */
const tokenPosition = fc.constantFrom(-1, -1, -1, -2);
const jobToken = (job: KnownJob, position: number): string => job.tokens.at(position) ?? "none";

const hourMs = 3_600_000;
const passedMs = fc.constantFrom(1, 300, 2_500, 5_000, 14_000, 32_000, 65_000, 121_000);
const clockStepMs = fc.constantFrom(hourMs, -hourMs, 2 * hourMs, -2 * hourMs, 1_500, -1_500);

export const commands: fc.Arbitrary<Command>[] = [
  ...repeat(8, () =>
    fc
      .tuple(account, fc.nat({ max: 1 }))
      .map(([accountId, key]) =>
        command(`submit ${accountId}-${key}`, (world) =>
          act(submission(world, accountId, `${accountId}-${key}`)),
        ),
      ),
  ),
  keyedSearch.map((search) =>
    command(`submit ${JSON.stringify(search)}`, async (world) => {
      const idempotency = makeIdempotency(search);
      const earlierOutcome = await settleOutcome(
        world.machine.queue.findEarlier(search.accountId, idempotency),
      );
      const expected = earlierRequest(world, search);
      if (expected === null) assert.deepEqual(earlierOutcome, { value: null });
      else if (expected !== "either" && expected.hash === search.query) {
        assert("value" in earlierOutcome);
        assert.equal((earlierOutcome.value as { uuid: string } | null)?.uuid, expected.uuid);
      }
      await act(keyedSubmission(world, search));
    }),
  ),
  ...repeat(6, () =>
    fc
      .tuple(account, fc.nat({ max: 1 }), fc.constantFrom(...localMethods))
      .map(([accountId, key, method]) =>
        command(`submit ${accountId}-${key} to the local node, which ${method}`, async (world) => {
          const run = await runUncommitted(world, newJob(accountId, `${accountId}-${key}`));
          if (run !== null) await runLocally(world, run, method);
        }),
      ),
  ),
  ...repeat(6, () =>
    fc.tuple(account, fc.nat({ max: 1 })).map(([accountId, key]) =>
      command(`submit ${accountId}-${key}, which is answered immediately`, async (world) => {
        world.known.markCount += 1n;
        const mark = world.known.markCount;
        const job = newJob(accountId, `${accountId}-${key}`);
        await whileAnswering(
          world,
          mark,
          () => submitAnswered(world, { job, mark }),
          (lease) => recordLease(world, lease),
        );
      }),
    ),
  ),
  fc.tuple(crashPoint, account).map(([time, accountId]) =>
    command(`die ${time} of an immediately answered submission`, async (world) => {
      const { machine, known } = world;
      known.markCount += 1n;
      const mark = known.markCount;
      const job = newJob(accountId, `${accountId}-1`);
      const count = () => machine.disk.get("SELECT count(*) AS jobs FROM job", {});
      const countBefore = await count();
      const die = () => dieWith(world, time, answeredSubmission(world, job), () => undefined);
      await whileAnswering(world, mark, die, (lease) => recordLease(world, lease));
      if (time === "before commit") assert.deepEqual(await count(), countBefore);
      else await adoptAnswered(world, job, mark);
    }),
  ),
  fc.tuple(account, fc.constantFrom(true, true, false)).map(([accountId, retryable]) =>
    command(`submit ${accountId} to the local node, which fails (${retryable})`, async (world) => {
      const run = await runUncommitted(world, newJob(accountId, `${accountId}-0`));
      if (run === null) return;
      const job = run.makeLeasedJob();
      world.known.jobs.push(job);
      await act(failureReport(world, job, run.lease.token, retryable));
      assert("value" in (await run.submissionOutcome));
    }),
  ),
  keyedSearch.map((search) =>
    command(`submit ${JSON.stringify(search)} to the local node`, async (world) => {
      const { known, machine } = world;
      const job = {
        ...newJob(search.accountId, `${search.accountId}-0`),
        idempotency: makeIdempotency(search),
      };
      const action = keyedSubmission(world, search);
      const run = await runUncommitted(world, job, action);
      if (run === null) return;
      const expected = earlierRequest(world, search);
      // If the validity of the key is ambiguous, the node drops the job.
      if (expected === "either") {
        await machine.queue.returnJob(run.lease.uuid, run.lease.token);
        await action.check(await run.submissionOutcome);
      } else if (expected === null) {
        await runLocally(world, run, "completes");
        const { uuid } = run.lease;
        const name = `${search.accountId} ${search.key}`;
        known.keys.set(name, { hash: search.query, uuid, createdMs: machine.clock.now() });
      } else await completeWithStaleLease(world, run, action);
    }),
  ),
  fc.tuple(crashPoint, account).map(([time, accountId]) =>
    command(`die ${time} of what the local node completes`, async (world) => {
      const { machine, known } = world;
      const run = await runUncommitted(world, newJob(accountId, `${accountId}-1`));
      if (run === null) return;
      known.markCount += 1n;
      const mark = known.markCount;
      const { uuid, token } = run.lease;
      const begin = () => machine.queue.complete(uuid, token, makeResult(mark));
      const job = run.makeLeasedJob();
      markDone(world, job, mark);
      await dieWith(world, time, { begin, check: () => undefined }, () => undefined);
      const row = await machine.disk.get("SELECT 1 FROM job WHERE uuid = :uuid", { uuid });
      assert.equal(row !== undefined, time === "after commit");
      if (row !== undefined) known.jobs.push(job);
    }),
  ),
  keyedSearch.map((search) =>
    command(`submit twice ${JSON.stringify(search)}`, (world) =>
      act(keyedSubmission(world, search), keyedSubmission(world, search)),
    ),
  ),
  ...repeat(10, () => fc.constant(command("lease", async (world) => void (await leaseOne(world))))),
  fc.tuple(jobIndex, tokenPosition).map(([one, position]) =>
    onJob(`renew ${position} of`, one, async ({ machine }, job) => {
      const token = jobToken(job, position);
      const outcome = await settleOutcome(machine.queue.renew(job.uuid, token));
      const expected = hasLease(job, token)
        ? { value: machineSettings.leaseMs }
        : { code: "lease_lost" };
      assert.deepEqual(outcome, expected, `a renewal of ${describeJob(job)}`);
      if (hasLease(job, token))
        job.leasedUntilMs = machine.clock.elapsed() + machineSettings.leaseMs;
    }),
  ),
  ...repeat(6, () =>
    fc
      .tuple(jobIndex, tokenPosition)
      .map(([one, position]) =>
        onJob(`complete ${position} of`, one, (world, job) =>
          act(completion(world, job, jobToken(job, position))),
        ),
      ),
  ),
  fc
    .tuple(jobIndex, tokenPosition, fc.constantFrom(true, true, false))
    .map(([one, position, retryable]) =>
      onJob(`fail ${position} (${retryable}) of`, one, (world, job) =>
        act(failureReport(world, job, jobToken(job, position), retryable)),
      ),
    ),
  ...repeat(4, () =>
    fc
      .tuple(jobIndex, fc.constantFrom(null, null, ...accounts))
      .map(([one, accountId]) =>
        onJob(`cancel ${accountId ?? "own"}`, one, (world, job) =>
          act(cancellation(world, job, accountId ?? job.accountId)),
        ),
      ),
  ),
  fc.tuple(jobIndex, fc.boolean()).map(([one, cancelFirst]) =>
    onJob(`complete and cancel simultaneously, ${cancelFirst}`, one, async (world, job) => {
      const completing = completion(world, job, jobToken(job, -1));
      const cancelling = cancellation(world, job, job.accountId);
      await (cancelFirst ? act(cancelling, completing) : act(completing, cancelling));
    }),
  ),
  jobIndex.map((value) =>
    onJob("complete twice simultaneously", value, async (world, job) => {
      const token = jobToken(job, -1);
      await act(completion(world, job, token), completion(world, job, token));
    }),
  ),
  jobIndex.map((value) =>
    onJob("fail and complete simultaneously", value, async (world, job) => {
      const token = jobToken(job, -1);
      await act(failureReport(world, job, token, true), completion(world, job, token));
    }),
  ),
  fc.tuple(jobIndex, account).map(([one, accountId]) =>
    onJob(`fetch as ${accountId}`, one, async ({ machine }, job) => {
      const stored = await machine.queue.find(accountId, job.uuid);
      if (accountId !== job.accountId || job.isForgotten) {
        assert.equal(stored, null);
        return;
      }
      // Whether a near retry is hidden is ambiguous within a second.
      const state = shownState({ ...job, notBeforeMs: 0 }, machine.clock.now());
      if (job.state !== "error(retrying)") assert.equal(stored?.state, state);
      assert.equal(stored?.result?.items[0]?.id ?? null, state === "done" ? job.mark : null);
    }),
  ),
  account.map((accountId) =>
    command(`list of ${accountId}`, async ({ machine, known }) => {
      const uuids: string[] = [];
      let before = null;
      do {
        const page = { states: null, methods: null, platforms: null, text: null, before, limit: 7 };
        const { jobs, next } = await machine.queue.list(accountId, page);
        uuids.push(...jobs.map(({ uuid }) => uuid));
        before = next;
      } while (before !== null);
      const ownJobs = known.jobs.filter((job) => job.accountId === accountId && !job.isForgotten);
      assert.deepEqual([...uuids].sort(), ownJobs.map(({ uuid }) => uuid).sort());
    }),
  ),
  fc
    .tuple(jobIndex, fc.constantFrom(0, 1_000, 30_000))
    .map(([one, ms]) => onJob(`wait ${ms} for`, one, async (world, job) => wait(world, job, ms))),
  ...repeat(8, () =>
    passedMs.map((ms) => command(`pass ${ms}`, ({ machine }) => machine.pass(ms))),
  ),
  clockStepMs.map((ms) =>
    command(`shift the wall clock by ${ms}`, async ({ machine }) => machine.clock.shiftWall(ms)),
  ),
  fc
    .tuple(fc.constantFrom(0, 5_000, 200_000), fc.constantFrom(0, 0, hourMs, -hourMs))
    .map(([ms, stepMs]) =>
      command(
        `restart after ${ms}, with the clock shifted by ${stepMs}`,
        async ({ machine, known }) => {
          const diedMs = machine.clock.elapsed();
          await machine.stop();
          machine.clock.shiftWall(stepMs);
          await machine.pass(ms);
          await machine.start();
          afterRestart(machine, known, diedMs);
        },
      ),
    ),
  crashPoint.map((at) =>
    command(`die ${at}`, (world) => dieWith(world, at, null, () => undefined)),
  ),
  fc.tuple(crashPoint, account).map(([time, accountId]) =>
    command(`die ${time} of a submission`, async (world) => {
      const { queue } = world.machine;
      const begin = () => queue.submit(newJob(accountId, `${accountId}-0`));
      await dieWith(world, time, { begin, check: () => undefined }, () => undefined);
      await adopt(world, accountId);
    }),
  ),
  fc.tuple(crashPoint, keyedSearch).map(([time, one]) =>
    command(`die ${time} of ${JSON.stringify(one)}`, async (world) => {
      const { machine, known } = world;
      const name = `${one.accountId} ${one.key}`;
      const createdMs = machine.clock.now();
      const jobCount = known.jobs.length;
      await dieWith(world, time, keyedSubmission(world, one), () => undefined);
      await adopt(world, one.accountId);
      const adoptedJob = known.jobs[jobCount];
      if (adoptedJob !== undefined)
        known.keys.set(name, { hash: one.query, uuid: adoptedJob.uuid, createdMs });
      await act(keyedSubmission(world, one));
    }),
  ),
  fc.tuple(crashPoint, jobIndex).map(([time, one]) =>
    onJob(`die ${time} of the completion of`, one, async (world, job) => {
      const action = completion(world, job, jobToken(job, -1));
      const isStored = hasLease(job, jobToken(job, -1));
      const outcome = isStored ? { value: undefined } : { code: "lease_lost" };
      await dieWith(world, time, action, () => action.check(outcome));
    }),
  ),
  fc.tuple(crashPoint, jobIndex).map(([time, one]) =>
    onJob(`die ${time} of the cancellation of`, one, async (world, job) => {
      const action = cancellation(world, job, job.accountId);
      const endOutcome = hasEnded(job.state) ? "forgotten" : "cancelled";
      const outcome = { value: job.isForgotten ? null : endOutcome };
      await dieWith(world, time, action, () => action.check(outcome));
    }),
  ),
  fc.tuple(fc.nat({ max: 1 }), fc.constantFrom(1, 3, 100)).map(([reader, max]) =>
    command(`reader ${reader} reads ${max}`, async ({ followers }) => {
      await followers[reader]?.connect();
      await followers[reader]?.read(max);
    }),
  ),
  fc
    .nat({ max: 1 })
    .map((reader) =>
      command(`reader ${reader} dies`, async ({ followers }) => followers[reader]?.die()),
    ),
];

/** Every accepted job must end. */
export async function finish(world: World): Promise<void> {
  const { machine, known, followers } = world;
  await dieWith(world, "after commit", null, () => undefined);
  const isUnfinished = (job: KnownJob) => !job.isForgotten && !hasEnded(job.state);
  for (let rounds = 0; known.jobs.some(isUnfinished); rounds += 1) {
    assert(rounds < 100, "unfinished jobs remain");
    await checkWorld(world);
    const job = await leaseOne(world);
    if (job === null) await machine.pass(1_000);
    else await act(completion(world, job, jobToken(job, -1)));
  }
  await checkWorld(world);
  for (const follower of followers) await follower.check(known);
  assert.deepEqual(machine.errors, []);
}
