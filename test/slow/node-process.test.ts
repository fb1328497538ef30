import { spawnSync } from "node:child_process";
import { copyFile, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { makeSigningKey } from "../../src/remote/protocol/keys.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type GatewayUnderTest,
  type NodeUnderTest,
  startGateway,
  startNodeUnderTest,
} from "../../testkit/nodes/remote-nodes.ts";
import { runCommand } from "../../testkit/service/run-command.ts";
import { search } from "../../testkit/service/service-under-test.ts";
import { startTamperingProxy } from "../../testkit/service/tampering-proxy.ts";
import { until } from "../../testkit/until.ts";
import { makeProfile, stubUpstream } from "../../testkit/upstreams/stub-upstream.ts";

const xIdAt = (ms: number): bigint => BigInt(ms - 1_288_834_974_657) << 22n;

const posts = ["comet one", "comet two", "comet three"].map((text, index) =>
  makePost({ key: `3kabc${index}`, text, createdMs: systemClock.now() - (index + 1) * 60_000 }),
);

let gateway: GatewayUnderTest;
let node: NodeUnderTest;
const others: NodeUnderTest[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  node = await startNodeUnderTest({ gateway, evidence: "simulated", posts });
  await node.waitUntilAdmitted();
});
afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.remove()));
});
afterAll(async () => {
  await node.remove();
  await gateway.remove();
});

async function startNode(requested: Omit<Parameters<typeof startNodeUnderTest>[0], "gateway">) {
  const started = await startNodeUnderTest({ gateway, ...requested });
  others.push(started);
  return started;
}

function nextAttestation(): () => Promise<unknown> {
  const attested = () => node.statuses.filter(({ state }) => state === "admitted").length;
  const before = attested();
  return () => until("the node has attested again", () => (attested() > before ? true : null));
}

async function runSearch(query: string, path?: string) {
  const service = gateway.service();
  const key = await service.makeKey();
  const submitted = await service.submit(key, search(query), path);
  expect(submitted.statusCode, submitted.body).toBe(202);
  const { uuid } = submitted.json();
  return { key, uuid, result: await service.result(key, uuid) };
}

describe("a node with simulated evidence", () => {
  test("a node with simulated evidence answers from its own archive, with a proof that anyone can verify", async () => {
    const { id, dataDir } = node;
    const { key, uuid, result } = await runSearch("comet");
    expect(result.statusCode, result.body).toBe(200);
    expect(result.json().map(({ Content }: { Content: string }) => Content)).toEqual([
      "comet one",
      "comet two",
      "comet three",
    ]);
    expect(result.headers["x-node"]).toBe(`"${id}";evidence=simulated`);

    const proof = await gateway
      .service()
      .call(key, { method: "GET", url: `/v1/search/live/social/result/${uuid}/proof` });
    const files = { proof: join(dataDir, "proof.json"), result: join(dataDir, "result.json") };
    await writeFile(files.proof, proof.body);
    await writeFile(files.result, result.body);
    const { policy, root } = gateway.files;
    const trust = ["--policy", policy, "--accept", "simulated"];
    const checked = ["verify", files.proof, ...trust, "--result", files.result, "--job", uuid];
    expect(await runCommand(checked)).toMatchObject({ code: 0, notes: "" });

    const program = ["-m", "earshot_proof", files.proof, policy, "--root", root];
    const env = { ...process.env, PYTHONPATH: "clients/python/src" };
    const { status, stdout } = spawnSync("python3", program, { encoding: "utf8", env });
    expect(status, stdout).toBe(0);

    await writeFile(files.result, result.body.replace("comet two", "comet ten"));
    expect(await runCommand(checked)).toMatchObject({ code: 1 });
    expect(await runCommand(["verify", files.proof, "--policy", policy])).toMatchObject({
      code: 1,
    });
  });

  test("a node with simulated evidence answers from its own platform, and completes running jobs before it stops", async () => {
    const requested = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const stub = stubUpstream("bluesky", {
      getfollowers: [{ kind: "profile", profile: makeProfile() }],
    });
    const { page } = stub;
    stub.page = async (...call) => {
      requested.resolve();
      await released.promise;
      return await page(...call);
    };
    const running = await startNode({ evidence: "simulated", upstreams: { bluesky: stub } });
    await running.waitUntilAdmitted();
    const service = gateway.service();
    const key = await service.makeKey();
    const submitted = await service.submit(key, {
      type: "social",
      arguments: { type: "getfollowers", query: "@ann.example.com" },
    });
    expect(submitted.statusCode, submitted.body).toBe(202);
    await requested.promise;
    const stopped = running.stop();
    released.resolve();
    await stopped;
    const result = await service.result(key, submitted.json().uuid);
    expect(result.statusCode, result.body).toBe(200);
    expect(result.json()).toMatchObject([{ Content: "writes" }]);
    // It has left the gateway.
    const known = service.context.nodes.gateway.nodes().find(({ id }) => id === running.id);
    expect(known).toMatchObject({ isConnected: false, running: 0 });
  });
});

describe("a node without evidence", () => {
  test("a node without evidence gets work once an operator has approved it, even after a restart", async () => {
    const createdMs = systemClock.now() - 60_000;
    const post = makePost({
      platform: "x",
      nativeId: xIdAt(createdMs),
      createdMs,
      text: "a comet on X",
    });
    const lines: string[] = [];
    const log = pino({}, { write: (line) => lines.push(line) });
    const first = await startNode({ evidence: "none", posts: [post], log });
    const attempts = () => first.statuses.filter(({ state }) => state === "pending").length;
    await until("the node awaits approval", () => (attempts() > 1 ? true : null));
    const waits = lines.filter((line) => line.includes("awaits approval"));
    expect(waits).toHaveLength(1);
    expect(lines.join("")).not.toContain("stack");
    await gateway.service().context.store.write("changeNode", {
      nodeId: first.id,
      change: "approve",
      actor: "command_line",
      nowMs: systemClock.now(),
    });
    await first.stop();
    const second = await startNode({ evidence: "none", dataDir: first.dataDir });
    await second.waitUntilAdmitted();
    expect(second.id).toBe(first.id);
    const { result } = await runSearch("comet", "/v1/search/live/x");
    expect(result.headers["x-node"]).toBe(`"${first.id}";evidence=none`);
    expect(result.json()).toMatchObject([{ Content: "a comet on X" }]);
  });

  test("a node that is configured with the key of another gateway stops with an error", async () => {
    const settings = { EARSHOT_NODE_GATEWAY_KEY: makeSigningKey().publicKey };
    const mismatched = await startNode({ evidence: "none", settings });
    expect(await mismatched.finalRefusal).toMatchObject({
      code: "gateway_key_mismatch",
      hint: expect.stringContaining("EARSHOT_NODE_GATEWAY_KEY"),
    });
  });
});

describe("an admitted node stops", () => {
  test("an admitted node stops when another run with its identity replaces it, even after that one has left", async () => {
    const original = await startNode({ evidence: "simulated" });
    await original.waitUntilAdmitted();
    const dataDir = await mkdtemp(join(tmpdir(), "earshot-node-"));
    await copyFile(join(original.dataDir, "node.key"), join(dataDir, "node.key"));
    const copy = await startNode({ evidence: "simulated", dataDir });
    await copy.waitUntilAdmitted();
    await copy.stop();
    expect(await original.finalRefusal).toMatchObject({
      code: "node_refused",
      details: [{ code: "superseded" }],
    });
  });
});

describe("a node and its gateway", () => {
  test("an admission that the gateway did not sign admits no node", async () => {
    const admission = {
      node_id: "forged",
      key_id: "forged",
      state: "admitted",
      attestation_id: "forged",
      valid_ms: 3_600_000,
      again_in_ms: 1_800_000,
      lease_wait_ms: 1_000,
    };
    const proxy = await startTamperingProxy(gateway.url, { "/internal/nodes/register": admission });
    try {
      const settings = { EARSHOT_NODE_GATEWAY: proxy.url };
      const deceived = await startNode({ evidence: "simulated", settings });
      await until("its registration got a response", () =>
        proxy.replacedPaths.length > 0 ? true : null,
      );
      await until("it rejects the admission", () =>
        deceived.status().state === "unreachable" ? true : null,
      );
      expect(deceived.statuses.map(({ state }) => state)).not.toContain("admitted");
      await deceived.stop();
    } finally {
      proxy.close();
    }
  });

  test("a node attests again after a restart of the gateway and serves as before", async () => {
    const attested = nextAttestation();
    await gateway.stop();
    await gateway.start();
    await attested();
    const { result } = await runSearch("comet");
    expect(result.headers["x-node"]).toContain(node.id);
    expect(result.json()).toHaveLength(3);
  });
});
