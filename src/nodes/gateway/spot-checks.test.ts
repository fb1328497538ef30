import { afterEach, beforeEach, expect, test } from "vitest";
import type { FetchedItem } from "../../platforms/source.ts";
import {
  admittedNode,
  answerWith,
  checkThatFails,
  complete,
  entered,
  leased,
  openedJob,
  postAt,
  sealedFailure,
  startTestGateway,
  type TestGateway,
  type TestNode,
} from "./gateway.test-support.ts";

let service: TestGateway;
let first: TestNode;
let second: TestNode;

beforeEach(async () => {
  service = await startTestGateway({ spotCheckPercent: 100, dispatchesPerSecond: 100 });
  first = await admittedNode(service);
  second = await admittedNode(service);
});

afterEach(() => service.close());

async function finishedJob(changed: Parameters<typeof answerWith>[1] = {}): Promise<string> {
  const uuid = service.queue.add();
  const job = await openedJob(service, first);
  await complete(service, first, job, answerWith([postAt(7), postAt(5)], changed));
  return uuid;
}

const checks = async () => await service.store.read("spotChecks", { limit: 10 });

async function checkedWith(items: readonly FetchedItem[]) {
  const uuid = await finishedJob();
  const job = await openedJob(service, second);
  expect(job.envelope.job).not.toBe(uuid);
  await complete(service, second, job, answerWith(items));
  const [check] = await checks();
  expect(check).toMatchObject({ uuid, firstNode: first.id, secondNode: second.id });
  return check;
}

test("a finished job is run by another node under another uuid, and the answers are compared", async () => {
  expect(await checkedWith([postAt(7), postAt(5)])).toMatchObject({ outcome: "same" });
  expect(service.told).toContain("spot check same");
  expect(service.queue.jobs()).toHaveLength(1);
  const done = service.gateway.nodes().map(({ jobsDone, running }) => ({ jobsDone, running }));
  expect(done).toEqual([
    { jobsDone: 1, running: 0 },
    { jobsDone: 0, running: 0 },
  ]);
});

test("what one node alone gave is told", async () => {
  expect(await checkedWith([postAt(7), postAt(6)])).toMatchObject({
    outcome: "different",
    differences: {
      only_first: [`x ${postAt(5).id}`],
      only_second: [`x ${postAt(6).id}`],
      different: 2,
      explained: 0,
    },
  });
  await service.clock.advance(1_000);
  const events = await service.store.read("nodeEvents", { limit: 1 });
  expect(events).toMatchObject([{ action: "spot_check", nodeId: second.id }]);
});

test("the node that answered first is not asked again", async () => {
  await finishedJob();
  expect(await leased(service, first)).toBeNull();
  expect(await leased(service, second)).not.toBeNull();
});

test("a node that waits for work is given the check at once", async () => {
  const waiting = leased(service, second, { waitMs: 20_000 });
  const uuid = service.queue.add();
  const envelope = await waiting;
  expect(envelope).toMatchObject({ job: uuid });
  service.queue.loseLease(uuid);
  const job = await openedJob(service, first);
  const next = leased(service, second, { waitMs: 20_000 });
  await complete(service, first, job);
  expect(await next).toMatchObject({ key_id: second.keyId });
});

test("a check that fails, or is answered wrongly, or not at all, is told so and fails no job", async () => {
  const uuid = await finishedJob();
  const failed = await openedJob(service, second);
  await service.gateway.fail(entered(service, second, "fail"), sealedFailure(failed));
  await finishedJob();
  const wrong = await openedJob(service, second);
  expect(
    await checkThatFails(() =>
      complete(service, second, wrong, undefined, { job: failed.envelope.job }),
    ),
  ).toBe("node_answer_refused other_job");
  await finishedJob();
  const silent = await openedJob(service, second);
  const { job: silentJob } = silent.envelope;
  await service.clock.advance(20_000);
  const session = entered(service, second, "renew");
  expect(await service.gateway.renew(session, silentJob, silent.token)).toBe(30_000);
  await service.clock.advance(20_000);
  expect(await checks()).toHaveLength(2);
  await service.clock.advance(11_000);
  expect((await checks()).map(({ outcome }) => outcome)).toEqual(["failed", "failed", "failed"]);
  expect(service.queue.job(uuid)).toMatchObject({ failures: [] });
});

test("what a platform was paid for is not asked twice", async () => {
  const cost = { postReads: 2, userReads: 0, microUsd: 10_000, month: null };
  const { fromMs, toMs } = answerWith([]).coverage;
  await finishedJob({ sources: [{ platform: "x", via: "api", fromMs, toMs, count: 2, cost }] });
  expect(await leased(service, second)).toBeNull();
});

test("no job is checked unless it is asked for", async () => {
  const plain = await startTestGateway();
  const one = await admittedNode(plain);
  const other = await admittedNode(plain);
  plain.queue.add();
  await complete(plain, one, await openedJob(plain, one));
  expect(await leased(plain, other)).toBeNull();
  await plain.close();
});

test("a check that no node takes within a minute is dropped", async () => {
  await finishedJob();
  await service.clock.advance(61_000);
  expect(await leased(service, second)).toBeNull();
  expect(await checks()).toEqual([]);
});
