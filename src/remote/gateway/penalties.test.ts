import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { complete, makeEncryptedFailure } from "./answers.test-support.ts";
import { failedCheck, startTestGateway, type TestGateway } from "./gateway.test-support.ts";
import {
  admitNode,
  attest,
  leaseAndOpen,
  leaseJob,
  makeNode,
  makeNodeSession,
  type TestNode,
} from "./node.test-support.ts";

let service: TestGateway;
let node: TestNode;

beforeEach(async () => {
  service = await startTestGateway();
  node = await admitNode(service);
});

afterEach(() => service.close());

async function answerWrongly(): Promise<void> {
  const uuid = service.queue.add();
  const job = await leaseAndOpen(service, node);
  const change = { job: "3c1d3a60-7a5b-4b34-9bd0-5cf3bfe2a001" };
  expect(await failedCheck(() => complete(service, node, job, undefined, change))).toBe(
    "node_answer_refused other_job",
  );
  service.queue.remove(uuid);
  await service.clock.advance(1_000);
}

const view = () => service.gateway.nodes()[0];

describe("a node with too many refused answers", () => {
  test("a node with too many refused answers gets no work for a while, even after the gateway restarts", async () => {
    await answerWrongly();
    await answerWrongly();
    expect(view()).toMatchObject({ state: "approved" });
    await answerWrongly();
    expect(view()).toMatchObject({ state: "quarantined" });
    expect(view()?.quarantineReason).toMatch(/too many errors .* other_job/);
    const uuid = service.queue.add();
    expect(await leaseJob(service, node)).toBeNull();
    await service.restart();
    expect(await attest(service, node)).toMatchObject({ state: "admitted" });
    const pendingLease = leaseJob(service, node, { waitMs: 20_000 });
    await service.clock.advance(20_000);
    expect(await pendingLease).toBeNull();
    await service.clock.advance(300_000);
    expect(view()).toMatchObject({ state: "approved", quarantineReason: null });
    expect(await leaseJob(service, node)).toMatchObject({ job: uuid });
  });

  test("a node with too many refused answers is quarantined twice as long each time, until an operator approves it again", async () => {
    const remainingMs = () => (view()?.quarantinedUntilMs ?? 0) - service.clock.now();
    for (const minutes of [5, 10, 20]) {
      for (let times = 0; times < 3; times += 1) await answerWrongly();
      expect(Math.round(remainingMs() / 60_000)).toBe(minutes);
      await service.clock.advance(remainingMs());
    }
    for (let times = 0; times < 3; times += 1) await answerWrongly();
    await service.change(node.id, "approved");
    expect(view()).toMatchObject({ state: "approved", quarantinedUntilMs: null });
    for (let times = 0; times < 3; times += 1) await answerWrongly();
    expect(Math.round(remainingMs() / 60_000)).toBe(5);
  });

  test("a node whose refused answers are spread over more than ten minutes is not quarantined", async () => {
    for (let times = 0; times < 6; times += 1) {
      await answerWrongly();
      await service.clock.advance(300_000);
    }
    expect(view()).toMatchObject({ state: "approved" });
  });
});

test("a node's leases that lapse together are penalised once", async () => {
  for (let jobs = 0; jobs < 10; jobs += 1) service.directory.events.record(node.id, "lease_lapsed");
  expect(view()).toMatchObject({ state: "approved" });
  for (let times = 0; times < 2; times += 1) {
    await service.clock.advance(30_000);
    service.directory.events.record(node.id, "lease_lapsed");
  }
  expect(view()).toMatchObject({ state: "quarantined" });
});

test("jobs that a node does not finish by their deadline are penalised, once per stall", async () => {
  for (let jobs = 0; jobs < 10; jobs += 1) service.directory.events.record(node.id, "job_late");
  service.directory.events.record(node.id, "lease_lapsed");
  expect(view()).toMatchObject({ state: "approved" });
  for (let times = 0; times < 2; times += 1) {
    await service.clock.advance(30_000);
    service.directory.events.record(node.id, "job_late");
  }
  expect(view()).toMatchObject({ state: "quarantined" });
  expect(view()?.quarantineReason).toContain("passed its deadline");
});

describe("a failure in a job that another node answers", () => {
  async function failJob(): Promise<string> {
    const uuid = service.queue.add();
    const job = await leaseAndOpen(service, node);
    const failure = makeEncryptedFailure(job, { code: "internal", retryable: false });
    await service.gateway.completion.fail(makeNodeSession(service, node, "fail"), failure);
    await service.clock.advance(1_000);
    return uuid;
  }

  test("a failure in a job that another node answers counts as a third of a refused answer", async () => {
    const other = await admitNode(service);
    for (let times = 1; times <= 9; times += 1) {
      expect(view()).toMatchObject({ state: "approved" });
      const uuid = await failJob();
      expect(service.queue.job(uuid).failures).toMatchObject([{ retryable: true }]);
      if (times % 2 === 0) service.directory.failures.recordDone("embedded", uuid);
      else await complete(service, other, await leaseAndOpen(service, other));
      service.queue.remove(uuid);
    }
    expect(view()).toMatchObject({ state: "quarantined" });
    expect(view()?.quarantineReason).toContain("a job that another node answered");
  });

  test("a failure in a job does not count if only the same node or none answers the job", async () => {
    for (let times = 1; times <= 12; times += 1) {
      const uuid = await failJob();
      if (times % 2 === 0) await complete(service, node, await leaseAndOpen(service, node));
      service.queue.remove(uuid);
    }
    expect(view()).toMatchObject({ state: "approved", jobsFailed: 12 });
  });
});

describe("a final failure of one node", () => {
  const finalFailure = { code: "invalid_query", retryable: false } as const;

  test("a final failure of one node is retried, and counts once another node answers the job", async () => {
    const other = await admitNode(service);
    for (let times = 1; times <= 9; times += 1) {
      const uuid = service.queue.add();
      const job = await leaseAndOpen(service, node);
      await service.gateway.completion.fail(
        makeNodeSession(service, node, "fail"),
        makeEncryptedFailure(job, finalFailure),
      );
      expect(service.queue.job(uuid).failures).toMatchObject([{ retryable: true }]);
      await complete(service, other, await leaseAndOpen(service, other));
      service.queue.remove(uuid);
      await service.clock.advance(1_000);
    }
    expect(view()).toMatchObject({ state: "quarantined" });
  });

  test("a final failure ends the job once a second node reports the same", async () => {
    const other = await admitNode(service);
    const uuid = service.queue.add();
    for (const testNode of [node, node, other]) {
      const job = await leaseAndOpen(service, testNode);
      await service.gateway.completion.fail(
        makeNodeSession(service, testNode, "fail"),
        makeEncryptedFailure(job, finalFailure),
      );
      await service.clock.advance(1_000);
    }
    const failures = service.queue.job(uuid).failures.map(({ retryable }) => retryable);
    expect(failures).toEqual([true, true, false]);
  });

  test("a final failure is not confirmed by a different failure of a second node", async () => {
    const other = await admitNode(service);
    const uuid = service.queue.add();
    for (const [testNode, code] of [
      [node, "invalid_query"],
      [other, "cursor_invalid"],
    ] as const) {
      const job = await leaseAndOpen(service, testNode);
      const failure = makeEncryptedFailure(job, { code, retryable: false });
      await service.gateway.completion.fail(makeNodeSession(service, testNode, "fail"), failure);
      await service.clock.advance(1_000);
    }
    expect(service.queue.job(uuid).failures.every(({ retryable }) => retryable)).toBe(true);
  });
});

test("a lapse of an unknown node is ignored", () => {
  service.directory.events.record("unknown", "lease_lapsed");
  expect(view()).toMatchObject({ state: "approved" });
});

describe("a run that replaces another one", () => {
  async function restartNode(): Promise<void> {
    node = await makeNode({ identity: node.identity });
    await attest(service, node);
  }

  test("replacing a run that had jobs counts as a lapse, so that frequent restarts lead to quarantine", async () => {
    for (const state of ["approved", "approved", "quarantined"]) {
      service.queue.add();
      service.queue.add();
      await leaseAndOpen(service, node);
      await leaseAndOpen(service, node);
      await restartNode();
      expect(view()).toMatchObject({ state });
      await service.clock.advance(30_000);
    }
    expect(view()?.quarantineReason).toContain("ended with unfinished jobs");
  });

  test("replacing a run counts once together with leases that lapse in the same stall, and not at all without jobs", async () => {
    service.queue.add();
    await leaseAndOpen(service, node);
    service.directory.events.record(node.id, "lease_lapsed");
    for (let times = 0; times < 3; times += 1) {
      await restartNode();
      await leaseAndOpen(service, node);
    }
    expect(view()).toMatchObject({ state: "approved" });
    service.queue.remove(service.queue.jobs()[0]?.uuid ?? "");
    await restartNode();
    for (let times = 0; times < 5; times += 1) {
      await service.clock.advance(30_000);
      await restartNode();
    }
    expect(view()).toMatchObject({ state: "approved" });
  });
});

test("a quarantine applies before it is written, and is written later", async () => {
  service.database.run(
    `CREATE TRIGGER full BEFORE UPDATE OF quarantined_until_ms ON node
     BEGIN SELECT raise(FAIL, 'database or disk is full'); END`,
  );
  try {
    for (let times = 0; times < 3; times += 1) await answerWrongly();
    await service.clock.advance(5_000);
    expect(view()).toMatchObject({ state: "quarantined" });
    expect(service.logEntries.map(({ message }) => message)).toContain(
      "writing quarantines failed",
    );
  } finally {
    service.database.run("DROP TRIGGER full");
  }
  await service.clock.advance(2_000);
  await service.restart();
  expect(view()).toMatchObject({ state: "quarantined" });
  const [event] = await service.store.read("nodeEvents", { limit: 1 });
  expect(event).toMatchObject({ action: "quarantined" });
});
