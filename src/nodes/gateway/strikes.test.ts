import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  admittedNode,
  attest,
  checkThatFails,
  complete,
  leased,
  openedJob,
  startTestGateway,
  type TestGateway,
  type TestNode,
} from "./gateway.test-support.ts";

let service: TestGateway;
let node: TestNode;

beforeEach(async () => {
  service = await startTestGateway();
  node = await admittedNode(service);
});

afterEach(() => service.close());

/** Hands in an answer to another job. */
async function answerWrongly(): Promise<void> {
  const uuid = service.queue.add();
  const job = await openedJob(service, node);
  const change = { job: "3c1d3a60-7a5b-4b34-9bd0-5cf3bfe2a001" };
  expect(await checkThatFails(() => complete(service, node, job, undefined, change))).toBe(
    "node_answer_refused other_job",
  );
  service.queue.remove(uuid);
  await service.clock.advance(1_000);
}

const view = () => service.gateway.nodes()[0];

describe("a node that answers wrongly too often", () => {
  test("gets no work for a while, also after a restart, and then does again", async () => {
    await answerWrongly();
    await answerWrongly();
    expect(view()).toMatchObject({ state: "approved" });
    await answerWrongly();
    expect(view()).toMatchObject({ state: "quarantined" });
    expect(view()?.quarantineReason).toMatch(/3 faults .* other_job/);
    const uuid = service.queue.add();
    expect(await leased(service, node)).toBeNull();
    await service.restart();
    expect(await attest(service, node)).toMatchObject({ state: "admitted" });
    const waiting = leased(service, node, { waitMs: 20_000 });
    await service.clock.advance(20_000);
    expect(await waiting).toBeNull();
    await service.clock.advance(300_000);
    expect(view()).toMatchObject({ state: "approved", quarantineReason: null });
    expect(await leased(service, node)).toMatchObject({ job: uuid });
  });

  test("is held off twice as long each time, until an operator approves it again", async () => {
    const lastsMs = () => (view()?.quarantinedUntilMs ?? 0) - service.clock.now();
    for (const minutes of [5, 10, 20]) {
      for (let times = 0; times < 3; times += 1) await answerWrongly();
      expect(Math.round(lastsMs() / 60_000)).toBe(minutes);
      await service.clock.advance(lastsMs());
    }
    for (let times = 0; times < 3; times += 1) await answerWrongly();
    await service.change(node.id, "approved");
    expect(view()).toMatchObject({ state: "approved", quarantinedUntilMs: null });
    for (let times = 0; times < 3; times += 1) await answerWrongly();
    expect(Math.round(lastsMs() / 60_000)).toBe(5);
  });

  test("but not within ten minutes goes on", async () => {
    for (let times = 0; times < 6; times += 1) {
      await answerWrongly();
      await service.clock.advance(300_000);
    }
    expect(view()).toMatchObject({ state: "approved" });
  });
});

test("leases that lapse together count once", async () => {
  for (let jobs = 0; jobs < 10; jobs += 1) service.gateway.leaseLapsed(node.id);
  expect(view()).toMatchObject({ state: "approved" });
  for (let times = 0; times < 2; times += 1) {
    await service.clock.advance(30_000);
    service.gateway.leaseLapsed(node.id);
  }
  expect(view()).toMatchObject({ state: "quarantined" });
});

test("the lapse of a node that nobody knows is nothing", () => {
  service.gateway.leaseLapsed("nobody");
  expect(view()).toMatchObject({ state: "approved" });
});
