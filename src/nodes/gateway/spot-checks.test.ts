import { afterEach, beforeEach, expect, test } from "vitest";
import type { FetchedItem } from "../../platforms/source.ts";
import {
  admittedNode,
  answerWith,
  attest,
  checkThatFails,
  complete,
  entered,
  leased,
  makeNode,
  opened,
  openedJob,
  postAt,
  sealedFailure,
  searchesX,
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

test("no node exempts itself by what it says an answer has cost", async () => {
  const cost = { postReads: 2, userReads: 0, microUsd: 10_000, month: null };
  const { fromMs, toMs } = answerWith([]).coverage;
  await finishedJob({ sources: [{ platform: "x", via: "api", fromMs, toMs, count: 2, cost }] });
  expect(await leased(service, second)).not.toBeNull();
});

test("a node that would be billed for it is not asked what another has answered", async () => {
  const paying = await admittedNode(service, {
    capabilities: [{ platform: "x", method: "searchbyquery", ways: ["archive", "api"] }],
  });
  await finishedJob();
  expect(await leased(service, paying)).toBeNull();
  expect(await leased(service, second)).not.toBeNull();
});

test("a search of all platforms is compared by nodes that know less of them, too", async () => {
  const wide = await admittedNode(service, {
    capabilities: [
      ...searchesX,
      { platform: "bluesky", method: "searchbyquery", ways: ["archive"] },
    ],
  });
  service.queue.add({ platform: "social" });
  await complete(service, wide, await openedJob(service, wide), answerWith([postAt(5)]));
  expect(await leased(service, second)).not.toBeNull();
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

test("a check has the time that the job had left, whatever its node renews", async () => {
  const uuid = service.queue.add();
  service.queue.job(uuid).leftMs = 41_234;
  await complete(service, first, await openedJob(service, first));
  await service.clock.advance(3_000);
  const check = await openedJob(service, second);
  expect(check.leftMs).toBe(41_234);
  for (const ms of [20_000, 20_000]) {
    await service.clock.advance(ms);
    const session = entered(service, second, "renew");
    await service.gateway.renew(session, check.envelope.job, check.token);
  }
  expect(await checks()).toEqual([]);
  await service.clock.advance(3_000);
  expect(await checks()).toMatchObject([{ outcome: "failed" }]);
});

test("a check of a run that leaves goes to another node", async () => {
  const third = await admittedNode(service);
  const uuid = await finishedJob();
  await openedJob(service, second);
  const waiting = leased(service, third, { waitMs: 20_000 });
  await service.gateway.leave(entered(service, second, "leave"));
  const job = await opened(service, third, await waiting);
  await complete(service, third, job, answerWith([postAt(7), postAt(5)]));
  expect(await checks()).toMatchObject([{ uuid, secondNode: third.id, outcome: "same" }]);
});

test("a check of a run that was started anew without a word has failed", async () => {
  const uuid = await finishedJob();
  await openedJob(service, second);
  await attest(service, await makeNode({ identity: second.identity }));
  expect(await checks()).toMatchObject([{ uuid, secondNode: second.id, outcome: "failed" }]);
});
