import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createEncryptor } from "../../src/lib/encryption.ts";
import { encryptSecrets } from "../../src/upstream/credentials/encrypt-secrets.ts";
import {
  type MastodonEmulator,
  startMastodonEmulator,
} from "../../testkit/emulators/mastodon/server.ts";
import {
  type GatewayUnderTest,
  type NodeUnderTest,
  startGateway,
  startNodeUnderTest,
} from "../../testkit/nodes/remote-nodes.ts";
import { until } from "../../testkit/until.ts";

/** A gateway without an embedded node, and a node without credentials and archive. */
const rule = {
  platform: "mastodon",
  images: ["simulated"],
  evidence: ["tdx", "simulated"],
};
let server: MastodonEmulator;
let gateway: GatewayUnderTest;
let node: NodeUnderTest;
let defaultPolicy: string;
let key: string;
let accountId: string;
let sharedToken: string;
let ownToken: string;

beforeAll(async () => {
  server = await startMastodonEmulator();
  const ann = server.network.addAccount({ username: "ann", note: "writes" }).id;
  const me = server.network.addAccount({ username: "me" }).id;
  const createdMs = Date.now() - 3_600_000;
  server.network.addStatus({ accountId: ann, text: "comet one #space", createdMs });
  ({ token: sharedToken } = server.addToken({ accountId: ann }));
  ({ token: ownToken } = server.addToken({ accountId: me }));
  gateway = await startGateway({
    EARSHOT_MAX_ATTEMPTS: "1",
  });
  defaultPolicy = readFileSync(gateway.files.policy, "utf8");
  const { store } = gateway.service().context;
  ({ accountId, token: key } = await store.write("createKey", {
    name: "one",
    accountName: "one",
    requestsPerSecond: 1_000_000,
    submissionsPerMinute: 1_000_000,
    nowMs: Date.now(),
  }));
  await storeCredential("shared", null, ann, sharedToken);
  node = await startNodeUnderTest({
    gateway,
    evidence: "simulated",
    settings: { EARSHOT_UPSTREAM_PRIVATE_HOSTS: server.url },
  });
});
afterAll(async () => {
  await node.remove();
  await gateway.remove();
  await server.close();
});
beforeEach(() => {
  server.requests.length = 0;
});

async function storeCredential(id: string, owner: string | null, subject: string, token: string) {
  const { secretKey } = gateway.service().context.secrets;
  const encryptor = createEncryptor(secretKey, randomBytes);
  await gateway.service().context.store.write("putCredential", {
    id,
    accountId: owner,
    platform: "mastodon",
    kind: "user-token",
    host: server.url,
    subject,
    subjectName: "@someone",
    hint: "abcd",
    encryptedSecret: encryptSecrets(encryptor, { id, accountId: owner }, { token }),
    maxOfOwner: 100,
    nowMs: Date.now(),
  });
}

/** Restarts the gateway and waits for the node's attestation. */
async function restartWith(rules: readonly object[]): Promise<void> {
  const policy = { ...JSON.parse(defaultPolicy), credentials: rules };
  await gateway.stop();
  writeFileSync(
    gateway.files.policy,
    JSON.stringify(rules.length === 0 ? JSON.parse(defaultPolicy) : policy),
  );
  await gateway.start();
  await until("the node is connected", () => (nodeView()?.isConnected ? true : null));
}

const nodeView = () =>
  gateway
    .service()
    .context.nodes.gateway.nodes()
    .find(({ id }) => id === node.id);

async function waitUntilSearchable(): Promise<void> {
  await until("the node can search Mastodon", () =>
    nodeView()?.takes.includes("searchbyquery") &&
    nodeView()?.capabilities.some(({ method }) => method === "searchbyquery")
      ? true
      : null,
  );
}

const searchFor = (query: string, type = "searchbyquery") =>
  gateway
    .service()
    .submit(key, { type: "social", arguments: { type, query } }, "/v1/search/live/mastodon");

async function runSearch(query: string) {
  const submitted = await searchFor(query);
  expect(submitted.statusCode, submitted.body).toBe(202);
  const { uuid } = submitted.json<{ uuid: string }>();
  const result = await gateway.service().result(key, uuid);
  const url = `/v1/search/live/mastodon/status/${uuid}`;
  return {
    records: result.json(),
    status: (await gateway.service().call(key, { method: "GET", url })).json(),
  };
}

const authorizations = () => [
  ...new Set(server.requests.map(({ authorization }) => authorization)),
];

const releases = async () =>
  (await gateway.service().context.store.read("nodeEvents", { limit: 100 })).filter(
    ({ action }) => action === "credential_released",
  );

function bytesUnder(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
  return Buffer.concat(files.map((path) => readFileSync(path)));
}

describe("a node without a credential", () => {
  test("a node gets no job that needs a credential while the policy releases none", async () => {
    await node.waitUntilAdmitted();
    const refused = await searchFor("comet");
    expect(refused.statusCode, refused.body).toBe(422);
    expect(refused.json()).toMatchObject({ code: "source_unavailable" });
    expect(await releases()).toEqual([]);
  });

  test("a node with simulated evidence gets no credential unless the policy names it", async () => {
    await restartWith([{ platform: "mastodon", images: ["simulated"] }]);
    expect((await searchFor("comet")).statusCode).toBe(422);
    expect(nodeView()?.capabilities).toEqual([]);
  });

  test("a node answers a search with a released credential", async () => {
    await restartWith([rule]);
    await waitUntilSearchable();
    const { records, status } = await runSearch("comet");
    expect(records).toMatchObject([{ Content: "comet one #space" }]);
    expect(status).toMatchObject({ node: node.id, evidence: "simulated" });
    expect(status.sources).toContainEqual(
      expect.objectContaining({ platform: "mastodon", via: "credential", count: 1 }),
    );
    expect(authorizations()).toEqual([`Bearer ${sharedToken}`]);
  });

  test("a node stores nothing of a released credential on disk", async () => {
    const disk = bytesUnder(node.dataDir);
    expect(disk.includes("SQLite format 3")).toBe(true);
    expect(disk.includes(sharedToken)).toBe(false);
  });

  test("a release is recorded in the event log and the metrics of the gateway, without the secret", async () => {
    const events = await until("the release is written", async () => {
      const found = await releases();
      return found.length > 0 ? found : null;
    });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      nodeId: node.id,
      detail: expect.stringMatching(/^mastodon credential shared \(deployment\), attestation /),
    });
    const { body } = await gateway.service().call(null, { method: "GET", url: "/metrics" });
    expect(body).toContain(
      'earshot_node_credentials_released_total{platform="mastodon",owner="deployment"} 1',
    );
    expect(JSON.stringify(events) + body).not.toContain(sharedToken);
  });

  test("a node gets an account's own credential only if the policy permits it", async () => {
    await storeCredential("own", accountId, "me", ownToken);
    await runSearch("comet");
    expect(authorizations()).toEqual([`Bearer ${sharedToken}`]);
    await restartWith([{ ...rule, owner: "any" }]);
    await waitUntilSearchable();
    server.requests.length = 0;
    await runSearch("comet");
    expect(authorizations()).toEqual([`Bearer ${ownToken}`]);
  });

  test("a node never gets a credential for the home timeline of an account", async () => {
    expect((await searchFor("", "gethometweets")).statusCode).toBe(422);
    expect(server.requests).toEqual([]);
  });

  test("a node gets no more credentials after the policy releases none", async () => {
    await restartWith([]);
    expect((await searchFor("comet")).statusCode).toBe(422);
    expect(server.requests).toEqual([]);
  });
});
