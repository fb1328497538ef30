import { afterEach, beforeEach, expect, test } from "vitest";
import type { Release } from "../evidence/release-rules.ts";
import { createOpenedLeases, openJob } from "../protocol/encrypted-job.ts";
import type { JobEnvelope } from "../protocol/messages.ts";
import { aCredential } from "../protocol/released-credential.test-support.ts";
import {
  admittedNode,
  attest,
  failedCheck,
  leaseJob,
  startTestGateway,
  type TestGateway,
  type TestNode,
} from "./gateway.test-support.ts";
import type { ReleaseSource } from "./releases.ts";

const searchesMastodon = [
  { platform: "mastodon", method: "searchbyquery", ways: ["credential"] },
] as const;

let allowed: readonly Release[];
let requestedFor: string[];
let released: string[];
let duringRead: () => Promise<unknown>;
let service: TestGateway;

const source: ReleaseSource = {
  allowed: ({ image }) => (image === "trusted" ? allowed : []),
  capabilities: () => searchesMastodon,
  credentialFor: async (_work, accountId, { owner }) => {
    requestedFor.push(`${accountId} ${owner}`);
    await duringRead();
    return aCredential;
  },
  onRelease: ({ platform, owner }) => released.push(`${platform} ${owner}`),
};

beforeEach(async () => {
  allowed = [{ platform: "mastodon", owner: "deployment" }];
  requestedFor = [];
  released = [];
  duringRead = async () => undefined;
  service = await startTestGateway({}, { releases: source });
  service.verify = async () => ({ image: "trusted" });
});
afterEach(() => service.close());

const trustedNode = (): Promise<TestNode> =>
  admittedNode(service, { evidence: "tdx", capabilities: [] });

const addSearch = (overrides: object = {}) =>
  service.queue.add({ query: "comet", platform: "mastodon", ...overrides });

async function getJob(node: TestNode) {
  const envelope = await leaseJob(service, node);
  return envelope === null ? null : await openedBy(node, envelope);
}

async function openedBy(node: TestNode, envelope: JobEnvelope) {
  const { payload, release } = await openJob(envelope, {
    keys: node.keys,
    keyId: node.keyId,
    gatewayKey: service.gatewayKey,
    nowMs: service.clock.now(),
    opened: createOpenedLeases(),
  });
  return { credential: payload.credential, release };
}

const events = async () => {
  await service.clock.advance(1_000);
  const all = await service.store.read("nodeEvents", { limit: 100 });
  return all.filter(({ action }) => action === "credential_released");
};

test("a node that a rule names gets the job and the credential, encrypted to its key", async () => {
  const node = await trustedNode();
  const other = await trustedNode();
  addSearch();
  const envelope = await leaseJob(service, node);
  if (envelope === null) throw new Error("no job was dispatched");
  expect(JSON.stringify(envelope)).not.toContain("the-secret-token");
  const stolen = openedBy({ ...other, keyId: node.keyId }, envelope);
  await expect(stolen).rejects.toMatchObject({ details: [{ code: "not_openable" }] });
  expect(await openedBy(node, envelope)).toEqual({
    credential: aCredential,
    release: { attestation: node.attestationId, expires_at: expect.any(Number) },
  });
  expect(released).toEqual(["mastodon deployment"]);
  expect(service.gateway.nodes()[0]).toMatchObject({ capabilities: searchesMastodon });
});

test("a node with another image gets neither the job nor a credential", async () => {
  service.verify = async () => ({ image: "other" });
  const node = await trustedNode();
  addSearch();
  expect(await getJob(node)).toBeNull();
  expect(requestedFor).toEqual([]);
  expect(service.gateway.nodes()).toMatchObject([{ capabilities: [] }]);
});

test("a job for another platform has no credential", async () => {
  const node = await admittedNode(service, { evidence: "tdx" });
  service.queue.add({ query: "comet", platform: "x" });
  expect(await getJob(node)).toEqual({});
  expect(requestedFor).toEqual([]);
});

test("no credential is released after the run attests with another image", async () => {
  const node = await trustedNode();
  addSearch();
  expect(await getJob(node)).not.toBeNull();
  service.verify = async () => ({ image: "other" });
  await attest(service, node);
  addSearch();
  expect(await getJob(node)).toBeNull();
  expect(requestedFor).toHaveLength(1);
});

test("no credential is released beyond the attestation", async () => {
  const node = await trustedNode();
  await service.clock.advance(3_590_000);
  addSearch();
  const found = await getJob(node);
  expect((found?.release?.expires_at ?? 0) * 1_000).toBeLessThanOrEqual(
    service.clock.now() + 10_000,
  );
  addSearch();
  await service.clock.advance(11_000);
  expect(await failedCheck(() => getJob(node))).toBe("node_unauthorized attestation_ended");
  expect(requestedFor).toHaveLength(1);
});

test("no credential is released if the node attests with another image while the credential is read", async () => {
  const node = await trustedNode();
  duringRead = async () => {
    service.verify = async () => ({ image: "other" });
    await attest(service, node);
  };
  addSearch();
  expect(await getJob(node)).toEqual({});
  expect(released).toEqual([]);
});

test("a job that needs its account's own credential is dispatched only to a node that may receive it", async () => {
  const node = await trustedNode();
  addSearch({ isLocalOnly: true });
  expect(await getJob(node)).toBeNull();
  allowed = [{ platform: "mastodon", owner: "any" }];
  await attest(service, node);
  service.queue.add({ query: "all", platform: "social", isLocalOnly: true });
  service.queue.wakeNodes();
  const found = await getJob(node);
  expect(found?.credential).toEqual(aCredential);
  expect(requestedFor).toEqual([expect.stringMatching(/ any$/)]);
  expect(await getJob(node)).toBeNull();
});

test("a release is recorded as an event with node, credential and attestation, once per attestation and without the secret", async () => {
  const node = await trustedNode();
  for (const _job of [1, 2]) {
    addSearch();
    await getJob(node);
  }
  expect(await events()).toMatchObject([
    { nodeId: node.id, detail: expect.stringContaining(node.attestationId) },
  ]);
  await attest(service, node);
  addSearch();
  await getJob(node);
  const all = await events();
  expect(all).toHaveLength(2);
  expect(JSON.stringify([all, service.logged])).not.toContain("the-secret-token");
});

test("no credential is released if the attestation expires while the credential is read", async () => {
  const node = await trustedNode();
  duringRead = () => service.clock.advance(3_600_000);
  addSearch();
  expect(await getJob(node)).toBeNull();
  expect(requestedFor).toHaveLength(1);
  expect(released).toEqual([]);
});
