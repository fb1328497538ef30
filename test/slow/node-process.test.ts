import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { copyFile, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { newApiKey, printApiKey } from "../../src/accounts/api-key.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { makeIdentity } from "../../src/remote/protocol/keys.ts";
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
  node = await startNodeUnderTest({ gateway, evidence: "simulated", posts, listen: true });
  await node.admitted();
});
afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.remove()));
});
afterAll(async () => {
  await node.remove();
  await gateway.remove();
});

async function another(requested: Omit<Parameters<typeof startNodeUnderTest>[0], "gateway">) {
  const started = await startNodeUnderTest({ gateway, ...requested });
  others.push(started);
  return started;
}

function nextAttestation(): () => Promise<unknown> {
  const attested = () => node.statuses.filter(({ state }) => state === "admitted").length;
  const before = attested();
  return () => until("it has attested again", () => (attested() > before ? true : null));
}

async function searched(query: string, path?: string) {
  const service = gateway.service();
  const key = await service.makeKey();
  const submitted = await service.submit(key, search(query), path);
  expect(submitted.statusCode, submitted.body).toBe(202);
  const { uuid } = submitted.json();
  return { key, uuid, result: await service.result(key, uuid) };
}

describe("a node with simulated evidence", () => {
  test("answers from its own archive, and a client can verify the result", async () => {
    const { id, dataDir } = node;
    const { key, uuid, result } = await searched("comet");
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

  test("answers what its own platform knows, and finishes its jobs before it stops", async () => {
    const requested = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<void>();
    const stub = stubUpstream("bluesky", {
      getfollowers: [{ kind: "profile", profile: makeProfile() }],
    });
    const { page } = stub;
    stub.page = async (...call) => {
      requested.resolve();
      await stored.promise;
      return await page(...call);
    };
    const running = await another({ evidence: "simulated", upstreams: { bluesky: stub } });
    await running.admitted();
    const service = gateway.service();
    const key = await service.makeKey();
    const submitted = await service.submit(key, {
      type: "social",
      arguments: { type: "getfollowers", query: "@ann.example.com" },
    });
    expect(submitted.statusCode, submitted.body).toBe(202);
    await requested.promise;
    const stopped = running.stop();
    stored.resolve();
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
  test("gets jobs once an operator has approved it, also after a restart", async () => {
    const createdMs = systemClock.now() - 60_000;
    const stored = makePost({
      platform: "x",
      nativeId: xIdAt(createdMs),
      createdMs,
      text: "a comet on X",
    });
    const first = await another({ evidence: "none", posts: [stored] });
    await until("it waits", () => (first.status().state === "pending" ? true : null));
    await gateway.service().context.store.write("changeNode", {
      nodeId: first.id,
      change: "approve",
      actor: "command_line",
      nowMs: systemClock.now(),
    });
    await first.stop();
    const second = await another({ evidence: "none", dataDir: first.dataDir });
    await second.admitted();
    expect(second.id).toBe(first.id);
    const { result } = await searched("comet", "/v1/search/live/x");
    expect(result.headers["x-node"]).toBe(`"${first.id}";evidence=none`);
    expect(result.json()).toMatchObject([{ Content: "a comet on X" }]);
  });

  test("stops with a reason when it is not meant for this gateway", async () => {
    const settings = { EARSHOT_NODE_GATEWAY_KEY: makeIdentity().key };
    const stray = await another({ evidence: "none", settings });
    expect(await stray.refused).toMatchObject({
      code: "gateway_key_mismatch",
      hint: expect.stringContaining("EARSHOT_NODE_GATEWAY_KEY"),
    });
  });
});

describe("a node whose identity another run takes over stops", () => {
  test("immediately, also after that run has ended", async () => {
    const original = await another({ evidence: "simulated" });
    await original.admitted();
    const dataDir = await mkdtemp(join(tmpdir(), "earshot-node-"));
    await copyFile(join(original.dataDir, "node.key"), join(dataDir, "node.key"));
    const copy = await another({ evidence: "simulated", dataDir });
    await copy.admitted();
    await copy.stop();
    expect(await original.refused).toMatchObject({
      code: "node_refused",
      details: [{ code: "superseded" }],
    });
  });
});

describe("a node that listens", () => {
  const request = (key: string | null, body: unknown, word = "social") =>
    fetch(`${node.url}/api/v1/data/${word}/tweets/recent`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: {
        "content-type": "application/json",
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
    });

  test("answers a search immediately, signed like a result", async () => {
    const { id } = node;
    const answer = await request(await gateway.service().makeKey(), { query: "comet", count: 2 });
    const body = await answer.text();
    expect(answer.status, body).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      data: [{ Content: "comet one" }, { Content: "comet two" }],
      recordCount: 2,
      workerPeerId: id,
    });
    expect(answer.headers.get("x-node")).toBe(`"${id}";evidence=simulated`);
    const digest = createHash("sha256").update(body).digest("base64");
    expect(answer.headers.get("content-digest")).toBe(`sha-256=:${digest}:`);
    expect(answer.headers.get("signature-input")).toContain('tag="earshot-result"');
    expect(answer.headers.get("x-coverage")).toContain("complete");
    expect(answer.headers.get("ratelimit")).toContain('"burst"');
  });

  test("returns a full proof for a nonce, which is valid for no other request", async () => {
    const [nonce, earlier] = [randomBytes(32), randomBytes(32)].map((bytes) =>
      bytes.toString("base64url"),
    );
    const key = await gateway.service().makeKey();
    const answer = await fetch(`${node.url}/api/v1/data/social/tweets/recent`, {
      method: "POST",
      body: JSON.stringify({ query: "comet", count: 2 }),
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${key}`,
        accept: "application/vnd.earshot.proof+json",
        "earshot-nonce": nonce ?? "",
      },
    });
    const proof = await answer.text();
    expect(answer.status, proof).toBe(200);
    expect(JSON.parse(JSON.parse(proof).body)).toMatchObject([
      { Content: "comet one" },
      { Content: "comet two" },
    ]);
    const file = join(node.dataDir, "direct.json");
    await writeFile(file, proof);
    const trust = ["--policy", gateway.files.policy, "--accept", "simulated"];
    const verify = (...expected: string[]) => runCommand(["verify", file, ...trust, ...expected]);
    expect(await verify("--nonce", nonce ?? "", "--query", "comet")).toMatchObject({ code: 0 });
    expect(await verify("--nonce", earlier ?? "", "--query", "comet")).toMatchObject({ code: 1 });
    expect(await verify("--nonce", nonce ?? "", "--query", "asteroid")).toMatchObject({ code: 1 });
  });

  test("refuses keys that the gateway does not know, and applies the rates of others", async () => {
    const service = gateway.service();
    expect((await request(null, { query: "comet" })).status).toBe(401);
    const wrong = await request("ear_wrong", { query: "comet" });
    expect(wrong.status).toBe(401);
    expect(await wrong.json()).toMatchObject({ code: "unauthorized", error: expect.any(String) });

    const slow = await service.makeKey({ requestsPerSecond: 100, submissionsPerMinute: 1 });
    expect((await request(slow, { query: "comet" })).status).toBe(200);
    const second = await request(slow, { query: "comet" });
    expect(second.status).toBe(429);
    expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(50);
  });

  test("refuses a key that only an impostor of the gateway knows", async () => {
    const proxy = await startTamperingProxy(gateway.url, {
      "/internal/nodes/introspect": {
        status: "active",
        rates_key: "made-up",
        requests_per_second: 1e9,
        submissions_per_minute: 1e9,
        methods: null,
      },
    });
    try {
      const behind = { ...gateway, url: proxy.url };
      const listening = await startNodeUnderTest({
        gateway: behind,
        evidence: "simulated",
        listen: true,
      });
      others.push(listening);
      await listening.admitted();
      const madeUp = printApiKey(newApiKey(randomBytes));
      const answer = await fetch(`${listening.url}/api/v1/data/social/tweets/recent`, {
        method: "POST",
        body: JSON.stringify({ query: "comet" }),
        headers: { "content-type": "application/json", authorization: `Bearer ${madeUp}` },
      });
      expect(answer.status).toBe(503);
      expect(proxy.replaced).toEqual(["/internal/nodes/introspect"]);
      await listening.stop();
    } finally {
      proxy.close();
    }
  });

  test("refuses what the gateway refuses", async () => {
    const key = await gateway.service().makeKey();
    const refusals = await Promise.all([
      request(key, { query: "comet", count: 101 }),
      request(key, { query: "" }),
      request(key, { query: '"comet' }),
      request(key, { query: "comet", more: 1 }),
      request(key, { query: "comet" }, "nowhere"),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual([400, 400, 400, 400, 404]);
  });

  test("accepts only keys it has seen while the gateway is away, and attests again when it is back", async () => {
    const { url, id } = node;
    const [known, unknown] = [await gateway.service().makeKey(), await gateway.service().makeKey()];
    expect((await request(known, { query: "comet" })).status).toBe(200);
    const again = nextAttestation();
    await gateway.stop();
    expect((await request(known, { query: "comet" })).status).toBe(200);
    const refused = await request(unknown, { query: "comet" });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    await gateway.start();
    await again();
    const { result } = await searched("comet");
    expect(result.headers["x-node"]).toContain(id);
    expect(result.json()).toHaveLength(3);
  });

  test("returns evidence for a caller's nonce, a few times a minute", async () => {
    const { url, id } = node;
    const nonce = randomBytes(32).toString("base64url");
    const answer = await fetch(`${url}/attestation?nonce=${nonce}`);
    expect(answer.status).toBe(200);
    const reported = await answer.json();
    expect(reported).toMatchObject({
      node_id: id,
      statement: { nonce, audience: "earshot-caller", evidence: "simulated" },
      evidence: { quote: expect.stringMatching(/^[0-9a-f]+$/) },
    });
    const statuses: number[] = [];
    for (let calls = 0; calls < 7; calls += 1) {
      statuses.push((await fetch(`${url}/attestation?nonce=${nonce}`)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect((await fetch(`${url}/attestation?nonce=short`)).status).toBe(400);
    expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: "ready" });
  });
});
