import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encryptAnswer } from "../protocol/encrypted-answer.ts";
import { answerWith, complete, makeEncryptedFailure } from "./answers.test-support.ts";
import { failedCheck, startTestGateway, type TestGateway } from "./gateway.test-support.ts";
import {
  admitNode,
  attest,
  leaseAndOpen,
  leaseJob,
  makeNode,
  makeNodeSession,
  openEnvelope,
  searchesX,
  type TestNode,
} from "./node.test-support.ts";

let service: TestGateway;

beforeEach(async () => {
  service = await startTestGateway();
});

afterEach(() => service.close());

test("a dispatched job is encrypted to the attested keys and signed by the gateway", async () => {
  const node = await admitNode(service);
  const other = await admitNode(service);
  const uuid = service.queue.add({ query: "a secret comet" });
  const envelope = await leaseJob(service, node);
  expect(envelope).toMatchObject({ job: uuid, key_id: node.keyId });
  expect(JSON.stringify(envelope)).not.toContain("comet");
  const { request } = await openEnvelope(service, node, envelope);
  expect(JSON.parse(request)).toMatchObject({ query: "a secret comet" });
  const stolenEnvelope = envelope === null ? null : { ...envelope, key_id: other.keyId };
  await expect(openEnvelope(service, other, stolenEnvelope)).rejects.toMatchObject({
    code: "job_refused",
  });
  expect(service.reports).toContain("dispatch none");
});

test("a lease request stays open until a job arrives or it times out", async () => {
  const node = await admitNode(service);
  const pendingLease = leaseJob(service, node, { waitMs: 20_000 });
  await service.clock.advance(5_000);
  const uuid = service.queue.add();
  expect(await pendingLease).toMatchObject({ job: uuid });
  const expiringLease = leaseJob(service, node, { waitMs: 600_000 });
  await service.clock.advance(20_000);
  expect(await expiringLease).toBeNull();
});

test("a node gets no more jobs than its concurrency", async () => {
  const node = await admitNode(service, { concurrency: 2 });
  for (let jobs = 0; jobs < 3; jobs += 1) service.queue.add();
  const first = await leaseAndOpen(service, node);
  expect(await leaseJob(service, node)).not.toBeNull();
  const pendingLease = leaseJob(service, node, { waitMs: 20_000 });
  await service.clock.advance(2_000);
  expect(service.gateway.nodes()).toMatchObject([{ running: 2, isConnected: true }]);
  await complete(service, node, first);
  await service.clock.advance(1_000);
  expect(await pendingLease).not.toBeNull();
});

test("a node gets no more jobs a second than its limit, regardless of the number of open requests", async () => {
  const node = await admitNode(service, { concurrency: 100 });
  for (let jobs = 0; jobs < 10; jobs += 1) service.queue.add();
  for (let polls = 0; polls < 10; polls += 1) void leaseJob(service, node, { waitMs: 20_000 });
  for (let steps = 0; steps < 40; steps += 1) await service.clock.advance(100);
  const dispatchedMs = service.queue.jobs().flatMap(({ dispatchedAtMs }) => dispatchedAtMs ?? []);
  expect(dispatchedMs).toHaveLength(10);
  for (const fromMs of dispatchedMs) {
    const sameSecond = dispatchedMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 1_000);
    expect(sameSecond.length).toBeLessThanOrEqual(3);
  }
});

test("a node's slots are its maximum number of concurrent lease requests", async () => {
  const node = await admitNode(service, { concurrency: 100 });
  const slotCounts: (number | undefined)[] = [];
  const { lease } = service.queue;
  service.queue.lease = (request, ...rest) => {
    slotCounts.push(request.slots?.());
    return lease(request, ...rest);
  };
  const polls = [1, 2, 3].map(() => leaseJob(service, node, { waitMs: 20_000 }));
  await service.clock.advance(0);
  for (let jobs = 0; jobs < 3; jobs += 1) service.queue.add();
  await service.clock.advance(1_000);
  await Promise.all(polls);
  await leaseJob(service, node);
  expect(slotCounts.slice(0, 3)).toEqual([1, 2, 3]);
  expect(slotCounts.at(-1)).toBe(3);
});

test("the number of open lease requests of a node is limited", async () => {
  const node = await admitNode(service, { concurrency: 1 });
  const polls = Array.from({ length: 6 }, () =>
    failedCheck(() => leaseJob(service, node, { waitMs: 1_000 })),
  );
  await service.clock.advance(1_000);
  expect(await Promise.all(polls)).toEqual([
    ...Array(5).fill("nothing failed"),
    "too_many_attempts",
  ]);
});

describe("the jobs that a node receives", () => {
  test("a node receives only jobs within its capabilities", async () => {
    const node = await admitNode(service);
    service.queue.add({ platform: "bluesky" });
    service.queue.add({ method: "gettweets" });
    expect(await leaseJob(service, node)).toBeNull();
  });

  test("a node receives only jobs that need no credential of the gateway", async () => {
    const node = await admitNode(service);
    service.queue.add({ isLocalOnly: true });
    const position = { platform: "x", cursor: "c", lastKey: null, skip: 0 } as const;
    service.queue.add({ position: { ...position, credentialId: "c1" } });
    service.queue.add({ position: { ...position, credentialId: "c1", nodeId: "another" } });
    expect(await leaseJob(service, node)).toBeNull();
    const unboundUuid = service.queue.add({ position: { ...position, credentialId: null } });
    expect(await leaseJob(service, node)).toMatchObject({ job: unboundUuid });
  });

  test("a node receives only searches of all platforms that no other connected node covers better", async () => {
    const small = await admitNode(service);
    const large = await admitNode(service, {
      capabilities: [
        ...searchesX,
        { platform: "bluesky", method: "searchbyquery", ways: ["archive"] },
      ],
    });
    await leaseJob(service, large);
    service.queue.add({ platform: "social" });
    expect(await leaseJob(service, small)).toBeNull();
    expect(await leaseJob(service, large)).not.toBeNull();
    service.queue.add({ platform: "social" });
    await service.change(large.id, "draining");
    expect(await leaseJob(service, small)).not.toBeNull();
  });
});

describe("a node that claims more capabilities", () => {
  const wide: Partial<TestNode> = {
    capabilities: [
      ...searchesX,
      { platform: "bluesky", method: "searchbyquery", ways: ["archive"] },
      { platform: "bluesky", method: "getbyid", ways: ["archive"] },
    ],
  };

  test("a node that claims more capabilities but does not request such jobs delays none", async () => {
    const overclaiming = await admitNode(service, wide);
    const honest = await admitNode(service);
    await leaseJob(service, overclaiming, { method: "getbyid" });
    const uuid = service.queue.add({ platform: "social" });
    expect(service.gateway.nodes()[0]).toMatchObject({ isConnected: true, takes: ["getbyid"] });
    expect(await leaseJob(service, honest)).toMatchObject({ job: uuid });
  });

  test("a node that claims more capabilities is waited for while it requests jobs or is fully occupied", async () => {
    const large = await admitNode(service, { ...wide, concurrency: 1 });
    const small = await admitNode(service);
    await leaseJob(service, large);
    const uuid = service.queue.add({ platform: "social" });
    expect(await leaseJob(service, small)).toBeNull();
    await service.clock.advance(1_000);
    const job = await leaseAndOpen(service, large);
    expect(job.envelope.job).toBe(uuid);
    await service.clock.advance(10_000);
    const nextUuid = service.queue.add({ platform: "social" });
    expect(await leaseJob(service, small)).toBeNull();
    await complete(service, large, job, answerWith([]));
    expect(await leaseJob(service, small)).toMatchObject({ job: nextUuid });
  });

  test("a node that claims more capabilities and fails repeatedly is not waited for", async () => {
    const overclaiming = await admitNode(service, wide);
    const honest = await admitNode(service);
    const uuid = service.queue.add({ platform: "social" });
    for (let times = 0; times < 2; times += 1) {
      const job = await leaseAndOpen(service, overclaiming);
      await service.gateway.completion.fail(
        makeNodeSession(service, overclaiming, "fail"),
        makeEncryptedFailure(job),
      );
    }
    expect(await leaseJob(service, honest)).toMatchObject({ job: uuid });
  });
});

test("of equal nodes, the one with stronger evidence gets the job while it has an open lease request", async () => {
  const weak = await admitNode(service);
  const strong = await admitNode(service, { evidence: "tdx", concurrency: 1 });
  const weakLease = leaseJob(service, weak, { waitMs: 20_000 });
  const pendingLease = leaseJob(service, strong, { waitMs: 20_000 });
  const uuid = service.queue.add();
  expect(await pendingLease).toMatchObject({ job: uuid });
  const nextUuid = service.queue.add();
  expect(await weakLease).toMatchObject({ job: nextUuid });
});

describe("a node that becomes unavailable", () => {
  test("a node whose attestation has expired gets no job, even with an open request", async () => {
    const node = await admitNode(service);
    await service.clock.advance(3_599_000);
    const pendingLease = leaseJob(service, node, { waitMs: 20_000 });
    await service.clock.advance(2_000);
    const uuid = service.queue.add();
    await service.clock.advance(20_000);
    expect(await pendingLease).toBeNull();
    expect(service.queue.job(uuid)).toMatchObject({ attempts: 0, lease: null });
  });

  test("a node that is draining completes its jobs and gets no more until it is approved again", async () => {
    const node = await admitNode(service);
    const uuid = service.queue.add();
    const job = await leaseAndOpen(service, node);
    await service.change(node.id, "draining");
    service.queue.add();
    const pendingLease = leaseJob(service, node, { waitMs: 20_000 });
    await service.clock.advance(5_000);
    expect(service.gateway.nodes()).toMatchObject([{ state: "draining", running: 1 }]);
    await complete(service, node, job);
    expect(service.queue.job(uuid).result).not.toBeNull();
    await service.change(node.id, "approved");
    expect(await pendingLease).not.toBeNull();
  });

  test("a node that was removed loses its leases and open requests within a second", async () => {
    const node = await admitNode(service);
    const uuid = service.queue.add();
    const job = await leaseAndOpen(service, node);
    const pendingLease = leaseJob(service, node, { waitMs: 20_000 });
    const session = makeNodeSession(service, node, "complete");
    await service.change(node.id, "removed");
    expect(await pendingLease).toBeNull();
    expect(service.queue.job(uuid).lease).toBeNull();
    const answer = {
      job: uuid,
      token: job.token,
      ...encryptAnswer(job.answerKey, Buffer.from("late")),
    };
    expect(await failedCheck(() => service.gateway.completion.complete(session, answer))).toBe(
      "node_unauthorized unknown_key",
    );
  });

  test("a node that leaves has its jobs requeued immediately, and can attest again", async () => {
    const node = await admitNode(service);
    const uuid = service.queue.add();
    await leaseAndOpen(service, node);
    await service.gateway.leave(makeNodeSession(service, node, "leave"));
    expect(service.queue.job(uuid).lease).toBeNull();
    expect(service.gateway.nodes()).toMatchObject([
      { isConnected: false, keyId: null, running: 0 },
    ]);
    expect(await attest(service, node)).toMatchObject({ state: "admitted" });
    expect(await leaseJob(service, node)).toMatchObject({ job: uuid });
  });

  test("a node that disconnects as its job arrives does not delay the job", async () => {
    const node = await admitNode(service);
    const abortController = new AbortController();
    const pendingLease = leaseJob(service, node, {
      waitMs: 20_000,
      signal: abortController.signal,
    });
    const uuid = service.queue.add();
    abortController.abort();
    expect(await pendingLease).toBeNull();
    expect(service.queue.job(uuid)).toMatchObject({ lease: null, attempts: 0, failures: [] });
    expect(await leaseJob(service, node)).toMatchObject({ job: uuid });
  });

  test("a node that attested an unusable encryption key loses its run", async () => {
    const weak = await makeNode();
    const keys = { ...weak.keys, encryptionKey: "A".repeat(43) };
    const node = await admitNode(service, { identity: weak.identity, keys });
    const uuid = service.queue.add();
    expect(await leaseJob(service, node)).toBeNull();
    expect(service.queue.job(uuid).lease).toBeNull();
    expect(await failedCheck(() => makeNodeSession(service, node))).toBe(
      "node_unauthorized unknown_key",
    );
  });
});

test("a stopping gateway ends open lease requests, but still accepts answers", async () => {
  const node = await admitNode(service);
  const uuid = service.queue.add();
  const job = await leaseAndOpen(service, node);
  const pendingLease = leaseJob(service, node, { waitMs: 20_000 });
  await service.gateway.stop();
  expect(await pendingLease).toBeNull();
  await complete(service, node, job);
  expect(service.queue.job(uuid).result).not.toBeNull();
});

test("a node counts as connected while it has an open request, or made one recently", async () => {
  const node = await admitNode(service);
  const isConnected = () => service.gateway.nodes()[0]?.isConnected;
  expect(isConnected()).toBe(true);
  await service.clock.advance(5_000);
  expect(isConnected()).toBe(false);
  const pendingLease = leaseJob(service, node, { waitMs: 20_000 });
  await service.clock.advance(15_000);
  expect(isConnected()).toBe(true);
  await service.clock.advance(5_000);
  await pendingLease;
  await service.clock.advance(5_000);
  expect(isConnected()).toBe(false);
});
