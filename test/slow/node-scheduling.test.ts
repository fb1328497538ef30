import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configFrom } from "../../src/server/config.ts";
import { startService } from "../../src/server/start.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type HandDrivenNode,
  handDrivenNode,
  makeItem,
} from "../../testkit/nodes/hand-driven-node.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

const noEvidence = { quote: null, event_log: null, vm_config: null };

async function approvedNode(service: ServiceUnderTest): Promise<HandDrivenNode> {
  const node = await handDrivenNode(service, { evidence: "none", evidenceFor: () => noEvidence });
  expect((await node.attest()).state).toBe("pending");
  const approval = { nodeId: node.nodeId, change: "approve", actor: "command_line" } as const;
  const nowMs = service.clock.now();
  await service.context.store.write("changeNode", { ...approval, nowMs });
  expect((await node.attest()).state).toBe("admitted");
  return node;
}

const settings = {
  EARSHOT_NODES_EVIDENCE: "none",
  EARSHOT_NODES_DISPATCHES_PER_SECOND: "1000",
};

describe("a server that runs no jobs itself", () => {
  let service: ServiceUnderTest;
  let key: string;
  let node: HandDrivenNode;
  beforeAll(async () => {
    service = await startServiceUnderTest({
      ...settings,
      EARSHOT_EMBEDDED_NODE: "off",
      EARSHOT_JOB_DEADLINE: "1s",
      EARSHOT_IDLE_TIMEOUT: "1s",
    });
    key = await service.makeKey();
  });
  afterAll(() => service.remove());

  const body = (type: string, query = "@ann@example.org") => ({
    type: "social",
    arguments: { type, query },
  });

  test("a server that runs no jobs itself rejects jobs that no node can run, with a reason", async () => {
    const refused = await service.submit(key, search("comet"));
    expect(refused.statusCode).toBe(422);
    expect(refused.json()).toMatchObject({
      code: "source_unavailable",
      detail: "no node that can search any platform is connected",
      hint: expect.stringContaining("/v1/nodes"),
    });
    const fetched = await service.submit(key, body("getprofilebyid"));
    expect(fetched.json()).toMatchObject({
      code: "source_unavailable",
      detail: expect.stringContaining("no connected node supports getprofilebyid on mastodon"),
    });
    const own = await service.submit(key, body("gethometweets", ""));
    expect(own.json().detail).toContain("this server has no embedded node");
  });

  test("a server that runs no jobs itself accepts jobs that a node can run, and does not run them", async () => {
    node = await approvedNode(service);
    const submitted = await service.submit(key, search("comet"));
    expect(submitted.statusCode, submitted.body).toBe(202);
    const job = await node.lease();
    const createdMs = service.clock.now() - 60_000;
    const item = makeItem(BigInt(createdMs) << 20n, createdMs);
    expect((await node.complete(job, node.signAnswer(job, [item]))).statusCode).toBe(204);
    const result = await service.result(key, submitted.json().uuid);
    expect(result.json()).toMatchObject([{ Content: "comet" }]);
    const refused = await service.submit(key, body("getprofilebyid"));
    expect(refused.json().code).toBe("source_unavailable");
  });

  test("a server that runs no jobs itself queues jobs for a disconnected node, and fails them with that reason when they expire", async () => {
    expect((await node.post("leave", {})).statusCode).toBe(204);
    // It stays open longer than the idle limit of connections.
    const pending = fetch(`${service.url}/api/v1/data/social/tweets/recent`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ query: "comet" }),
    });
    const submitted = await service.submit(key, search("comet"));
    expect(submitted.statusCode, submitted.body).toBe(202);
    const result = await service.result(key, submitted.json().uuid);
    expect((await pending).status).toBe(504);
    expect(result.statusCode).toBe(504);
    expect(result.json()).toMatchObject({
      code: "deadline_exceeded",
      detail: "no node that can run the job connected before its deadline",
    });
    service.clock.move(600_000);
    expect((await service.submit(key, search("comet"))).statusCode).toBe(422);
  });
});

test("an unreadable policy is reported at the start, and the server releases its folder", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "earshot-test-"));
  const config = (policy: string) =>
    configFrom({
      EARSHOT_DATA_DIR: dataDir,
      EARSHOT_INGEST: "off",
      EARSHOT_PORT: "0",
      EARSHOT_LOG_LEVEL: "silent",
      EARSHOT_NODES_POLICY: policy,
    });
  const policy = join(dataDir, "policy.json");
  await expect(startService(config(policy))).rejects.toThrow(/^EARSHOT_NODES_POLICY: /);
  await writeFile(policy, "{");
  await expect(startService(config(policy))).rejects.toMatchObject({ code: "policy_unreadable" });
  await rm(dataDir, { recursive: true });
});

describe("a server with a spare embedded node", () => {
  let service: ServiceUnderTest;
  let key: string;
  beforeAll(async () => {
    service = await startServiceUnderTest({ ...settings, EARSHOT_EMBEDDED_NODE: "spare" });
    key = await service.makeKey();
    await service.addPosts([makePost({ text: "a comet" })]);
  });
  afterAll(() => service.remove());

  const fetchStatus = async (uuid: string) =>
    (
      await service.call(key, { method: "GET", url: `/v1/search/live/social/status/${uuid}` })
    ).json();

  test("a server with a spare embedded node runs jobs itself when no node is connected, and takes over the jobs of a node that leaves", async () => {
    const first = await service.submit(key, search("comet"));
    expect((await service.result(key, first.json().uuid)).statusCode).toBe(200);
    expect(await fetchStatus(first.json().uuid)).toMatchObject({
      status: "done",
      node: "embedded",
    });

    const node = await approvedNode(service);
    const leasing = node.lease();
    await service.waitForPending(1);
    const second = await service.submit(key, search("comet"));
    const job = await leasing;
    expect(job.envelope.job).toBe(second.json().uuid);
    expect(await fetchStatus(second.json().uuid)).toMatchObject({
      status: "in progress",
      node: node.nodeId,
    });
    expect((await node.post("leave", {})).statusCode).toBe(204);
    expect((await service.result(key, second.json().uuid)).statusCode).toBe(200);
    expect(await fetchStatus(second.json().uuid)).toMatchObject({
      status: "done",
      node: "embedded",
      attempts: 1,
    });
  });
});
