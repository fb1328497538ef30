import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FetchPosition } from "../platforms/upstream.ts";
import type { SearchJobRequest } from "./job.ts";
import type { Lease, LeaseRequest } from "./leases/lease.ts";
import type { FailedAttempt } from "./leases/leases.ts";
import type { NewJob } from "./submissions/submission.ts";
import { newJob, request, result, startTestQueue, type TestQueue, testNode } from "./test-jobs.ts";

let jobs: TestQueue;
let failedAttempts: FailedAttempt[];
let canBeRun: boolean;
let connectedNodeIds: readonly string[];

beforeEach(async () => {
  failedAttempts = [];
  canBeRun = true;
  connectedNodeIds = [];
  jobs = await startTestQueue({ maxRunningPerKey: 1_000 }, undefined, {
    onFailedAttempt: (attempt) => failedAttempts.push(attempt),
    hasNodeFor: () => canBeRun,
    hasOtherNodeFor: (_, failedOn) => connectedNodeIds.some((nodeId) => !failedOn.has(nodeId)),
  });
});

afterEach(async () => {
  await jobs.close();
});

const submit = async (
  overrides: Partial<SearchJobRequest> = {},
  keyId = "key",
): Promise<string> => {
  const job: NewJob = { ...newJob(keyId), request: { ...request, ...overrides } };
  return (await jobs.queue.submit(job)).uuid;
};

const leaseRequest = (
  nodeId: string,
  overrides: Partial<LeaseRequest<SearchJobRequest>> = {},
): LeaseRequest<SearchJobRequest> => ({ ...testNode, nodeId, ...overrides });

const nodeLease = (node: LeaseRequest<SearchJobRequest>, waitMs = 0) =>
  jobs.queue.lease(node, waitMs);

function firstLeasedBy(
  waiting: readonly (readonly [string, Promise<Lease<SearchJobRequest> | null>])[],
) {
  return Promise.race(waiting.map(async ([name, lease]) => ((await lease) === null ? null : name)));
}

test("the waiting node with the lowest current load gets the job", async () => {
  const loads: Record<string, number> = { a: 0.1, b: 0.5, c: 0.9 };
  const pendingLeases = ["a", "b", "c"].map(
    (name) =>
      [name, nodeLease(leaseRequest(name, { load: () => loads[name] ?? 0 }), 1_000)] as const,
  );
  Object.assign(loads, { a: 0.8, b: 0.6, c: 0.2 });
  await submit();
  expect(await firstLeasedBy(pendingLeases)).toBe("c");
});

test("equally loaded nodes take turns", async () => {
  const order: string[] = [];
  const nodes = ["a", "b", "c"].map((nodeId) => leaseRequest(nodeId, { load: () => 0 }));
  const pendingLeases = nodes.flatMap((node) => [nodeLease(node, 1_000), nodeLease(node, 1_000)]);
  for (const [index, lease] of pendingLeases.entries()) {
    void lease.then(() => order.push(nodes[Math.floor(index / 2)]?.nodeId ?? ""));
  }
  for (let n = 0; n < 6; n += 1) await submit();
  await Promise.all(pendingLeases);
  expect(order).toEqual(["a", "b", "c", "a", "b", "c"]);
});

test("a node's running jobs are counted as soon as they are leased", async () => {
  let leaseCount = 0;
  const node = leaseRequest("busy", { onLease: () => (leaseCount += 1), load: () => 0 });
  const pendingLease = nodeLease(node, 1_000);
  const submitted = submit();
  expect([leaseCount, jobs.queue.countRunning("busy")]).toEqual([1, 1]);
  await submitted;
  const lease = await pendingLease;
  await jobs.queue.complete(lease?.uuid ?? "", lease?.token ?? "", result);
  expect(jobs.queue.countRunning("busy")).toBe(0);
});

test("a node whose lease request is closed gets no job until the request is open", async () => {
  let isOpen = false;
  const pendingLease = nodeLease(leaseRequest("paced", { isOpen: () => isOpen }), 1_000);
  const uuid = await submit();
  jobs.queue.wakeNodes();
  expect(jobs.queue.countRunning("paced")).toBe(0);
  isOpen = true;
  jobs.queue.wakeNodes();
  expect((await pendingLease)?.uuid).toBe(uuid);
});

test("a node gets only jobs that it accepts, and the others keep their position", async () => {
  const first = await submit({ platform: "x" });
  const second = await submit({ platform: "bluesky" });
  const node = leaseRequest("bluesky", { accepts: ({ platform }) => platform === "bluesky" });
  expect((await nodeLease(node))?.uuid).toBe(second);
  expect(await nodeLease(node)).toBeNull();
  expect((await nodeLease(leaseRequest("any")))?.uuid).toBe(first);
});

test("thousands of jobs that no node accepts are checked once per kind, not individually", async () => {
  let calls = 0;
  const acceptNone = leaseRequest("none", {
    accepts: () => {
      calls += 1;
      return false;
    },
  });
  const leaveController = new AbortController();
  const pendingLeases = [1, 2, 3].map(() =>
    jobs.queue.lease(acceptNone, 60_000, leaveController.signal),
  );
  const platforms = ["x", "bluesky", "mastodon"] as const;
  await Promise.all(
    Array.from({ length: 9_999 }, (_, n) => {
      const platform = platforms[n % 3] ?? "x";
      return submit({ platform }, `key ${n % 500}`);
    }),
  );
  calls = 0;
  jobs.queue.wakeNodes();
  expect(calls).toBe(3);
  leaveController.abort();
  await Promise.all(pendingLeases);
  expect(await nodeLease(leaseRequest("any"))).not.toBeNull();
});

test("keys take turns across all nodes, and each key's limit covers all nodes", async () => {
  await jobs.restart("stop", { maxRunningPerKey: 3 });
  for (let n = 0; n < 30; n += 1) await submit({}, "busy");
  for (let n = 0; n < 6; n += 1) await submit({}, "quiet");
  const leasedKeys: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    for (const nodeId of ["one", "two", "three"]) {
      const lease = await nodeLease(leaseRequest(nodeId));
      if (lease !== null) leasedKeys.push(getKey(lease.uuid));
    }
  }
  expect(leasedKeys).toEqual(["busy", "quiet", "busy", "quiet", "busy", "quiet"]);
  for (const nodeId of ["one", "two", "three"]) expect(jobs.queue.countRunning(nodeId)).toBe(2);
});

describe("a key without a limit on its jobs", () => {
  beforeEach(async () => {
    await jobs.restart("stop", { maxRunningPerKey: null });
  });

  function openSlots(nodeIds: readonly string[], slots: number) {
    const leases: Lease<SearchJobRequest>[] = [];
    const polls = nodeIds.flatMap((nodeId) => {
      const node = leaseRequest(nodeId, { slots: () => slots });
      return Array.from({ length: slots }, () => nodeLease(node, 60_000));
    });
    for (const poll of polls) void poll.then((lease) => lease && leases.push(lease));
    return leases;
  }

  const leasesAccounts = (leases: readonly Lease<SearchJobRequest>[]) =>
    leases.map(({ accountId }) => accountId);

  test("a single key without a limit uses all slots of all nodes except the reserved ones", async () => {
    const leases = openSlots(["a", "b", "c"], 40);
    for (let n = 0; n < 130; n += 1) await submit();
    expect(leases).toHaveLength(114);
    await jobs.clock.advance(1_000);
    expect(leases).toHaveLength(114);
  });

  test("an account with nothing running has a job started immediately, however many jobs of other accounts are waiting", async () => {
    const leases = openSlots(["a"], 16);
    for (let n = 0; n < 40; n += 1) await submit({}, `key ${n % 5}`);
    expect(leases).toHaveLength(15);
    await jobs.queue.submit(newJob("quiet", "two"));
    await jobs.queue.submit(newJob("quiet", "two"));
    await jobs.clock.advance(1_000);
    expect(leasesAccounts(leases.slice(15))).toEqual(["two"]);
    const [first] = leases;
    await jobs.queue.complete(first?.uuid ?? "", first?.token ?? "", result);
    const freedLease = await nodeLease(leaseRequest("a", { slots: () => 16 }));
    expect(freedLease).toBeNull();
  });

  test("an account's searches can use reserved slots while a slow fetch of the account is running", async () => {
    const methods = ["searchbyquery", "getfollowers"];
    const fetching = await submit({ method: "getfollowers", platform: "x", after: null });
    expect(await nodeLease(leaseRequest("a", { methods }))).toMatchObject({ uuid: fetching });
    const leases = openSlots(["a"], 16);
    for (let n = 0; n < 20; n += 1) await jobs.queue.submit(newJob("other", "two"));
    expect(leases).toHaveLength(15);
    const uuid = await submit();
    await jobs.clock.advance(0);
    expect(leases.at(-1)).toMatchObject({ uuid });
  });

  test("a node with few slots reserves none of them", async () => {
    const leases = openSlots(["a"], 7);
    for (let n = 0; n < 9; n += 1) await submit();
    expect(leases).toHaveLength(7);
  });
});

test("a job that gets no slot before its deadline fails with no_slot", async () => {
  const uuid = await submit();
  await jobs.clock.advance(121_000);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({
    failure: { code: "no_slot", status: 504, retryable: true },
  });
});

describe("an answer truncated at the deadline", () => {
  const truncated = { ...result, warnings: [{ code: "deadline_reached", message: "out of time" }] };
  const getWarnings = async (uuid: string) =>
    (await jobs.queue.find("one", uuid))?.result?.warnings.map(({ code }) => code);

  async function completeAfter(waitedMs: number, answer: typeof truncated): Promise<string> {
    const uuid = await submit();
    await jobs.clock.advance(waitedMs);
    const lease = await nodeLease(leaseRequest("a"));
    await jobs.queue.complete(uuid, lease?.token ?? "", answer);
    return uuid;
  }

  test("an answer truncated at the deadline warns that its search started late", async () => {
    const uuid = await completeAfter(95_000, truncated);
    expect(await getWarnings(uuid)).toEqual(["deadline_reached", "started_late"]);
    const job = await jobs.queue.find("one", uuid);
    expect(job?.result?.warnings.at(-1)?.message).toContain("95s of its 2m deadline");
  });

  test("a truncated answer whose search started immediately has no warning about a late start", async () => {
    expect(await getWarnings(await completeAfter(0, truncated))).toEqual(["deadline_reached"]);
  });

  test("an answer that is not truncated has no warning about a late start", async () => {
    const uuid = await completeAfter(95_000, { ...result, warnings: [] });
    expect(await getWarnings(uuid)).toEqual([]);
  });
});

const getKey = (uuid: string): string =>
  jobs.table.database.get<{ key: string }>("SELECT key_id AS key FROM job WHERE uuid = :uuid", {
    uuid,
  })?.key ?? "";

test("jobs of a node that leaves are leased before later jobs, and their attempts do not count", async () => {
  const uuids = [await submit(), await submit(), await submit()];
  const lostLeases = [await nodeLease(leaseRequest("gone")), await nodeLease(leaseRequest("gone"))];
  const remainingLease = await nodeLease(leaseRequest("stays"));
  const laterUuid = await submit();
  expect(await jobs.queue.endNodeLeases("gone")).toBe(2);
  expect(lostLeases.map((lease) => lease?.lostSignal.aborted)).toEqual([true, true]);
  expect(remainingLease?.lostSignal.aborted).toBe(false);
  expect(await jobs.queue.find("one", uuids[0] ?? "")).toMatchObject({
    state: "received",
    attempts: 0,
  });
  const nextLeases = [
    await nodeLease(leaseRequest("stays")),
    await nodeLease(leaseRequest("stays")),
  ];
  expect(nextLeases.map((lease) => [lease?.uuid, lease?.attempt])).toEqual([
    [uuids[0], 1],
    [uuids[1], 1],
  ]);
  expect((await nodeLease(leaseRequest("stays")))?.uuid).toBe(laterUuid);
  const [staleLease] = lostLeases;
  await expect(
    jobs.queue.complete(staleLease?.uuid ?? "", staleLease?.token ?? "", result),
  ).rejects.toMatchObject({ code: "lease_lost" });
  expect(jobs.queue.countRunning("gone")).toBe(0);
  expect(failedAttempts).toEqual([]);
});

test("a job that crashes its node in every attempt ends with node_lost", async () => {
  const uuid = await submit();
  for (const attempt of [1, 2, 3]) {
    const lease = await nodeLease(leaseRequest("dies"));
    expect([lease?.uuid, lease?.attempt]).toEqual([uuid, attempt]);
    await jobs.queue.failNodeLeases("dies");
    expect(lease?.lostSignal.aborted).toBe(true);
    await jobs.clock.advance(1_000);
  }
  expect(await jobs.queue.find("one", uuid)).toMatchObject({
    state: "error",
    attempts: 3,
    failure: { code: "node_lost" },
  });
  expect(failedAttempts.map(({ nodeId, reason }) => [nodeId, reason])).toEqual(
    Array.from({ length: 3 }, () => ["dies", "failed"]),
  );
});

const transientFailure = { code: "c", message: "m", status: 502, retryable: true };

async function failNext(nodeId: string): Promise<string | null> {
  const lease = await nodeLease(leaseRequest(nodeId));
  if (lease !== null) await jobs.queue.fail(lease.uuid, lease.token, transientFailure);
  await jobs.clock.advance(1_000);
  return lease?.uuid ?? null;
}

test("if two of three nodes are broken, the third gets the job before its attempts are used up", async () => {
  connectedNodeIds = ["broken", "broken too", "sound"];
  const uuid = await submit();
  expect(await failNext("broken")).toBe(uuid);
  expect(await failNext("broken")).toBeNull();
  expect(await failNext("broken too")).toBe(uuid);
  await jobs.clock.advance(1_000);
  expect([await failNext("broken"), await failNext("broken too")]).toEqual([null, null]);
  expect(await nodeLease(leaseRequest("sound"))).toMatchObject({ uuid, attempt: 3 });
});

test("a waiting node does not get a job again that failed on it, but gets other jobs", async () => {
  connectedNodeIds = ["broken", "sound"];
  const uuid = await submit();
  await failNext("broken");
  const pendingLease = nodeLease(leaseRequest("broken"), 4_000);
  const soundLease = nodeLease(leaseRequest("sound", { load: () => 1 }), 4_000);
  expect((await soundLease)?.uuid).toBe(uuid);
  const nextUuid = await submit();
  expect((await pendingLease)?.uuid).toBe(nextUuid);
});

test("a job that no other node leases within seconds returns to the node on which it failed", async () => {
  connectedNodeIds = ["broken", "busy"];
  const uuid = await submit();
  const laterUuid = await submit();
  expect(await failNext("broken")).toBe(uuid);
  const brokenLease = await nodeLease(leaseRequest("broken"));
  expect(brokenLease?.uuid).toBe(laterUuid);
  const pendingLease = nodeLease(leaseRequest("broken"), 60_000);
  await jobs.clock.advance(5_000);
  expect(await pendingLease).toMatchObject({ uuid, attempt: 2 });
  connectedNodeIds = ["broken"];
  await jobs.queue.fail(laterUuid, brokenLease?.token ?? "", transientFailure);
  await jobs.clock.advance(1_000);
  expect(await nodeLease(leaseRequest("broken"))).toMatchObject({ uuid: laterUuid, attempt: 2 });
});

test("a job avoids the node whose lease expired, and is not leased again after it is cancelled", async () => {
  connectedNodeIds = ["stalls", "busy"];
  const uuid = await submit();
  await nodeLease(leaseRequest("stalls"));
  await jobs.clock.advance(32_000);
  expect(failedAttempts).toMatchObject([{ nodeId: "stalls", reason: "lapsed" }]);
  expect(await nodeLease(leaseRequest("stalls"))).toBeNull();
  await jobs.queue.cancel("one", uuid);
  await jobs.clock.advance(10_000);
  expect(await nodeLease(leaseRequest("busy"))).toBeNull();
  expect(jobs.queue.depth()).toBe(0);
});

test("a thousand failed jobs are checked once per kind of work", async () => {
  connectedNodeIds = ["a", "b", "sound"];
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => submit({}, `key ${n % 20}`)));
  const leases = await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => nodeLease(leaseRequest(n % 2 === 0 ? "a" : "b"))),
  );
  await Promise.all(
    leases.map((lease) => jobs.queue.fail(lease?.uuid ?? "", lease?.token ?? "", transientFailure)),
  );
  await jobs.clock.advance(1_000);
  let calls = 0;
  const accepts = () => {
    calls += 1;
    return false;
  };
  expect(await nodeLease(leaseRequest("c", { accepts }))).toBeNull();
  expect(calls).toBe(1);
});

test("a job that its node returns goes to the front of the queue without a delay, and the attempt does not count", async () => {
  connectedNodeIds = ["gone", "sound"];
  const uuid = await submit();
  const lease = await nodeLease(leaseRequest("gone"));
  const laterUuid = await submit();
  await jobs.queue.returnJob(uuid, "another token");
  expect(jobs.queue.countRunning("gone")).toBe(1);
  await jobs.queue.returnJob(uuid, lease?.token ?? "");
  expect([lease?.lostSignal.aborted, jobs.queue.countRunning("gone")]).toEqual([true, 0]);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "received", attempts: 0 });
  expect(await nodeLease(leaseRequest("gone"))).toMatchObject({ uuid, attempt: 1 });
  expect((await nodeLease(leaseRequest("sound")))?.uuid).toBe(laterUuid);
  expect(failedAttempts).toEqual([]);
  await jobs.queue.returnJob("an unknown job", "token");
});

test("a job whose result is being written is not returned when its node leaves", async () => {
  const uuid = await submit();
  const lease = await nodeLease(leaseRequest("leaves"));
  const completing = jobs.queue.complete(uuid, lease?.token ?? "", result);
  expect(await jobs.queue.endNodeLeases("leaves")).toBe(0);
  await completing;
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "done", node: "leaves" });
});

test("a failed attempt is reported with its node and whether its lease expired", async () => {
  const uuid = await submit();
  const lease = await nodeLease(leaseRequest("fails"));
  const failure = { code: "c", message: "m", status: 502, retryable: true };
  await jobs.queue.fail(uuid, lease?.token ?? "", failure);
  await jobs.clock.advance(1_000);
  expect(await nodeLease(leaseRequest("dies"))).toMatchObject({ uuid, attempt: 2 });
  await jobs.clock.advance(31_000);
  expect(failedAttempts).toEqual([
    { method: "searchbyquery", nodeId: "fails", reason: "failed" },
    { method: "searchbyquery", nodeId: "dies", reason: "lapsed" },
  ]);
});

test("a job for which no suitable node connects fails with no_node", async () => {
  canBeRun = false;
  const uuid = await submit();
  await jobs.clock.advance(121_000);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({
    state: "error",
    failure: { code: "no_node", status: 504, message: expect.stringContaining("no node that can") },
  });
});

test("a next page that only a disconnected node can fetch waits for it, and fails at the deadline", async () => {
  canBeRun = false;
  const position: FetchPosition = {
    platform: "x",
    credentialId: "c",
    cursor: "next",
    lastKey: null,
    skip: 0,
    nodeId: "away",
  };
  const uuid = await submit({
    method: "getfollowers",
    platform: "x",
    after: null,
    position,
  });
  await jobs.clock.advance(119_000);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "received" });
  await jobs.clock.advance(2_000);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({
    failure: { code: "no_node", message: expect.stringContaining("no other node can continue it") },
  });
});

test("a job that ran until its deadline fails with deadline, not with no_node", async () => {
  const uuid = await submit();
  const lease = await nodeLease(leaseRequest("slow"));
  canBeRun = false;
  for (let second = 0; second < 123; second += 10) {
    await jobs.queue.renew(uuid, lease?.token ?? "").catch(() => undefined);
    await jobs.clock.advance(10_000);
  }
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ failure: { code: "deadline" } });
  expect(failedAttempts).toEqual([{ method: "searchbyquery", nodeId: "slow", reason: "late" }]);
});

test("a job that was leased just before its deadline is not reported as a failed attempt of its node", async () => {
  await submit();
  await jobs.clock.advance(115_000);
  expect(await nodeLease(leaseRequest("quick"))).not.toBeNull();
  await jobs.clock.advance(10_000);
  expect(failedAttempts).toEqual([]);
});

test("a large result is stored completely even if another call arrives while it is encoded", async () => {
  const uuid = await submit();
  const lease = await nodeLease(leaseRequest("large"));
  const record = JSON.stringify({ Content: '"'.repeat(40_000) });
  const items = Array.from({ length: 40 }, (_, n) => ({
    platform: "x" as const,
    id: BigInt(n + 1),
    uri: null,
    userId: null,
    record,
  }));
  const completing = jobs.queue.complete(uuid, lease?.token ?? "", { ...result, items });
  expect(await jobs.queue.cancel("two", uuid)).toBeNull();
  await completing;
  await jobs.restart("stop");
  expect((await jobs.queue.find("one", uuid))?.result?.items).toEqual(items);
});

test("a node's signature is stored with its result", async () => {
  const uuid = await submit();
  const lease = await nodeLease(leaseRequest("signs"));
  const signature = {
    nodeId: "signs",
    keyId: "key",
    attestationId: "attestation",
    evidence: "none" as const,
    fields: {
      "content-digest": "sha-256=:a:",
      "content-type": "application/json; charset=utf-8",
      "earshot-job": 'id="u"',
      "signature-input": "earshot=()",
      signature: "earshot=:b:",
    },
    knowledge: "{}",
    request: "{}",
  };
  const items = [
    {
      platform: "x" as const,
      id: 1n,
      uri: "https://x.com/i/status/1",
      userId: "2",
      record: '{"ID":1}',
    },
  ];
  await jobs.queue.complete(uuid, lease?.token ?? "", { ...result, items, signature });
  await jobs.restart("stop");
  expect((await jobs.queue.find("one", uuid))?.result).toMatchObject({ items, signature });
});
