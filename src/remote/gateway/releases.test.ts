import { afterEach, beforeEach, expect, test } from "vitest";
import type { Release } from "../evidence/release-rules.ts";
import { createOpenedLeases, openJob } from "../protocol/encrypted-job.ts";
import type { JobEnvelope } from "../protocol/messages.ts";
import { aCredential } from "../protocol/released-credential.test-support.ts";
import { failedCheck, startTestGateway, type TestGateway } from "./gateway.test-support.ts";
import { admitNode, attest, leaseJob, type TestNode } from "./node.test-support.ts";
import type { ReleaseSource } from "./releases.ts";

const searchesMastodon = [
  { platform: "mastodon", method: "searchbyquery", ways: ["credential"] },
] as const;

let allowedReleases: readonly Release[];
let credentialRequests: string[];
let recordedReleases: string[];
let duringRead: () => Promise<unknown>;
let service: TestGateway;

const source: ReleaseSource = {
  releasesFor: ({ image }) => (image === "trusted" ? allowedReleases : []),
  capabilities: () => searchesMastodon,
  credentialFor: async (_work, accountId, { owner }) => {
    credentialRequests.push(`${accountId} ${owner}`);
    await duringRead();
    return aCredential;
  },
  onRelease: ({ platform, owner }) => recordedReleases.push(`${platform} ${owner}`),
};

beforeEach(async () => {
  allowedReleases = [{ platform: "mastodon", owner: "deployment" }];
  credentialRequests = [];
  recordedReleases = [];
  duringRead = async () => undefined;
  service = await startTestGateway({}, { releaseSource: source });
  service.verify = async () => ({ image: "trusted" });
});
afterEach(() => service.close());

const trustedNode = (): Promise<TestNode> =>
  admitNode(service, { evidence: "tdx", capabilities: [] });

const addSearch = (overrides: object = {}) =>
  service.queue.add({ query: "comet", platform: "mastodon", ...overrides });

async function getJob(node: TestNode) {
  const envelope = await leaseJob(service, node);
  return envelope === null ? null : await openEnvelopeFor(node, envelope);
}

async function openEnvelopeFor(node: TestNode, envelope: JobEnvelope) {
  const { payload, release } = await openJob(envelope, {
    keys: node.keys,
    keyId: node.keyId,
    gatewayKey: service.gatewayKey,
    nowMs: service.clock.now(),
    openedLeases: createOpenedLeases(),
  });
  return { credential: payload.credential, release };
}

const events = async () => {
  await service.clock.advance(1_000);
  const allEvents = await service.store.read("nodeEvents", { limit: 100 });
  return allEvents.filter(({ action }) => action === "credential_released");
};

test("a node that a rule names gets the job and the credential, encrypted to its key", async () => {
  const node = await trustedNode();
  const other = await trustedNode();
  addSearch();
  const envelope = await leaseJob(service, node);
  if (envelope === null) throw new Error("no job was dispatched");
  expect(JSON.stringify(envelope)).not.toContain("the-secret-token");
  const stolenCredential = openEnvelopeFor({ ...other, keyId: node.keyId }, envelope);
  await expect(stolenCredential).rejects.toMatchObject({ details: [{ code: "not_openable" }] });
  expect(await openEnvelopeFor(node, envelope)).toEqual({
    credential: aCredential,
    release: { attestation: node.attestationId, expires_at: expect.any(Number) },
  });
  expect(recordedReleases).toEqual(["mastodon deployment"]);
  expect(service.gateway.nodes()[0]).toMatchObject({ capabilities: searchesMastodon });
});

test("a node with another image gets neither the job nor a credential", async () => {
  service.verify = async () => ({ image: "other" });
  const node = await trustedNode();
  addSearch();
  expect(await getJob(node)).toBeNull();
  expect(credentialRequests).toEqual([]);
  expect(service.gateway.nodes()).toMatchObject([{ capabilities: [] }]);
});

test("a job for another platform has no credential", async () => {
  const node = await admitNode(service, { evidence: "tdx" });
  service.queue.add({ query: "comet", platform: "x" });
  expect(await getJob(node)).toEqual({});
  expect(credentialRequests).toEqual([]);
});

test("no credential is released after the run attests with another image", async () => {
  const node = await trustedNode();
  addSearch();
  expect(await getJob(node)).not.toBeNull();
  service.verify = async () => ({ image: "other" });
  await attest(service, node);
  addSearch();
  expect(await getJob(node)).toBeNull();
  expect(credentialRequests).toHaveLength(1);
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
  expect(credentialRequests).toHaveLength(1);
});

test("no credential is released if the node attests with another image while the credential is read", async () => {
  const node = await trustedNode();
  duringRead = async () => {
    service.verify = async () => ({ image: "other" });
    await attest(service, node);
  };
  addSearch();
  expect(await getJob(node)).toEqual({});
  expect(recordedReleases).toEqual([]);
});

test("a job that needs its account's own credential is dispatched only to a node that is allowed to receive it", async () => {
  const node = await trustedNode();
  addSearch({ isLocalOnly: true });
  expect(await getJob(node)).toBeNull();
  allowedReleases = [{ platform: "mastodon", owner: "any" }];
  await attest(service, node);
  service.queue.add({ query: "all", platform: "social", isLocalOnly: true });
  service.queue.wakeNodes();
  const found = await getJob(node);
  expect(found?.credential).toEqual(aCredential);
  expect(credentialRequests).toEqual([expect.stringMatching(/ any$/)]);
  expect(await getJob(node)).toBeNull();
});

test("a release is recorded as an event with node and attestation, once per attestation and without the secret", async () => {
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
  const releaseEvents = await events();
  expect(releaseEvents).toHaveLength(2);
  expect(JSON.stringify([releaseEvents, service.logEntries])).not.toContain("the-secret-token");
});

test("no credential is released if the attestation expires while the credential is read", async () => {
  const node = await trustedNode();
  duringRead = () => service.clock.advance(3_600_000);
  addSearch();
  expect(await getJob(node)).toBeNull();
  expect(credentialRequests).toHaveLength(1);
  expect(recordedReleases).toEqual([]);
});
