import { randomUUID } from "node:crypto";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { Method } from "../../platforms/methods.ts";
import type { Capability } from "../capability.ts";
import { encodeBase64Url } from "../protocol/encoding.ts";
import type { AnswerKey } from "../protocol/encrypted-answer.ts";
import { createOpenedLeases, openJob } from "../protocol/encrypted-job.ts";
import { makeRunKeys, makeSigningKey, type RunKeys, type SigningKey } from "../protocol/keys.ts";
import type { JobEnvelope, Registration } from "../protocol/messages.ts";
import { type SignedRequest, signRequest } from "../protocol/signed-request.ts";
import { quoteDigest } from "../protocol/signed-result.ts";
import {
  gatewayAudience,
  hashAttestationId,
  hashKeyId,
  hashNodeId,
  makeIdentityMessage,
} from "../protocol/statement.ts";
import type { TestGateway } from "./gateway.test-support.ts";
import type { NodeSession } from "./gateway.ts";

export type TestNode = {
  id: string;
  identity: SigningKey;
  keys: RunKeys;
  keyId: string;
  address: string;
  evidence: EvidenceKind;
  capabilities: readonly Capability[];
  concurrency: number;
  name: string;
  attestationId: string;
  quoteSha256: Uint8Array | null;
};

export const searchesX: readonly Capability[] = [
  { platform: "x", method: "searchbyquery", ways: ["archive"] },
];

export async function makeNode(overrides: Partial<TestNode> = {}): Promise<TestNode> {
  const identity = overrides.identity ?? makeSigningKey();
  const keys = overrides.keys ?? (await makeRunKeys());
  return {
    id: hashNodeId(identity.publicKey),
    identity,
    keys,
    keyId: hashKeyId({ signing_key: keys.signingKey, sealing_key: keys.encryptionKey }),
    address: "192.0.2.1",
    evidence: "none",
    capabilities: searchesX,
    concurrency: 4,
    name: "node",
    attestationId: "",
    quoteSha256: null,
    ...overrides,
  };
}

/** `overrides` apply to the statement before it is signed. */
export function makeRegistration(
  test: TestGateway,
  node: TestNode,
  nonce: string,
  overrides: Partial<Registration["statement"]> = {},
): Registration {
  const statement: Registration["statement"] = {
    version: 1,
    evidence: node.evidence,
    audience: gatewayAudience,
    nonce,
    identity_key: node.identity.publicKey,
    signing_key: node.keys.signingKey,
    sealing_key: node.keys.encryptionKey,
    boot_id: encodeBase64Url(Buffer.alloc(16)),
    gateway_key: test.gatewayKey,
    ...overrides,
  };
  const quote = node.evidence === "none" ? null : Buffer.from(nonce).toString("hex");
  return {
    statement,
    identity_signature: encodeBase64Url(node.identity.sign(makeIdentityMessage(statement))),
    evidence: { quote, event_log: null, vm_config: null },
    name: node.name,
    capabilities: [...node.capabilities].map(({ ways, ...rest }) => ({ ...rest, ways: [...ways] })),
    concurrency: node.concurrency,
    version: "1.0.0",
  };
}

export async function attest(test: TestGateway, node: TestNode) {
  const { nonce } = test.gateway.challenge();
  const registration = makeRegistration(test, node, nonce);
  const response = await test.gateway.register(registration, node.address);
  node.attestationId = hashAttestationId(registration.statement, registration.evidence);
  node.quoteSha256 = quoteDigest(registration.evidence);
  return response;
}

export async function admitNode(
  test: TestGateway,
  overrides: Partial<TestNode> = {},
): Promise<TestNode> {
  const node = await makeNode(overrides);
  if ((await attest(test, node)).state === "pending") {
    await test.change(node.id, "approved");
    await attest(test, node);
  }
  return node;
}

export function signedNodeRequest(
  test: TestGateway,
  node: TestNode,
  route: string,
  { nonce = randomUUID() as string, lateMs: ageMs = 0 } = {},
): SignedRequest {
  const request = { method: "POST", path: `/internal/nodes/${route}`, body: "{}" };
  const nowMs = test.clock.now() - ageMs;
  const headers = signRequest({ ...request, keyId: node.keyId, nowMs, nonce }, node.keys);
  return { ...request, headers, body: Buffer.from(request.body) };
}

export const makeNodeSession = (test: TestGateway, node: TestNode, route = "lease"): NodeSession =>
  test.gateway.authenticate(signedNodeRequest(test, node, route));

export async function leaseJob(
  test: TestGateway,
  node: TestNode,
  { waitMs = 0, signal = new AbortController().signal, method = "searchbyquery" as Method } = {},
): Promise<JobEnvelope | null> {
  const leaseBody = { methods: [method], wait_ms: waitMs };
  return await test.gateway.dispatch.lease(makeNodeSession(test, node), leaseBody, signal);
}

export type OpenedJob = {
  envelope: JobEnvelope;
  token: string;
  request: string;
  answerKey: AnswerKey;
  remainingMs: number;
};

export async function openEnvelope(
  test: TestGateway,
  node: TestNode,
  envelope: JobEnvelope | null,
): Promise<OpenedJob> {
  if (envelope === null) throw new Error("no job was dispatched");
  const { payload, answerKey } = await openJob(envelope, {
    keys: node.keys,
    keyId: node.keyId,
    gatewayKey: test.gatewayKey,
    nowMs: test.clock.now(),
    openedLeases: createOpenedLeases(),
  });
  const { token, request, left_ms: remainingMs } = payload;
  return { envelope, token, request, answerKey, remainingMs };
}

export const leaseAndOpen = async (
  test: TestGateway,
  node: TestNode,
  method?: Method,
): Promise<OpenedJob> =>
  await openEnvelope(
    test,
    node,
    await leaseJob(test, node, method === undefined ? {} : { method }),
  );
