import type { EvidenceKind } from "../../src/jobs/result-signature.ts";
import type { FetchedItem, SourceAnswer } from "../../src/platforms/source.ts";
import { lowestId } from "../../src/posts/ids.ts";
import type { SimulatedWorld } from "../../src/remote/evidence/simulated/simulated-tee.ts";
import type { Attestation, Proof } from "../../src/remote/proof/read-proof.ts";
import { answerBody } from "../../src/remote/protocol/answer.ts";
import { encodeBase64Url } from "../../src/remote/protocol/encoding.ts";
import { deriveGatewayKey, makeRunKeys, makeSigningKey } from "../../src/remote/protocol/keys.ts";
import { quoteDigest, signResult } from "../../src/remote/protocol/signed-result.ts";
import {
  hashAttestationId,
  hashKeyId,
  hashNodeId,
  hashReportData,
  makeIdentityMessage,
  type NodeStatement,
} from "../../src/remote/protocol/statement.ts";
import { knowledgeText, requestText } from "../../src/remote/protocol/texts.ts";

export const nowMs = Date.UTC(2026, 0, 31, 12);

export const jobUuid = "0190a2b4-7c11-4f6e-9d53-1f0a55c0ffee";

export const testRequest = {
  platform: "x",
  type: "social",
  method: "searchbyquery",
  query: "cats lang:en",
  fromMs: nowMs - 86_400_000,
  toMs: nowMs,
  asOfMs: nowMs,
  after: null,
  maxResults: 10,
} as const;

/** A post from `minutes` before the end of the window. */
export function postItem(minutes: number, overrides: Record<string, unknown> = {}): FetchedItem {
  const id = lowestId(nowMs - minutes * 60_000);
  const uri = `https://x.com/i/status/${id}`;
  const record = {
    ID: String(id),
    Content: "cats é \ud83d\ude00",
    Metadata: {
      platform: "x",
      uri,
      created_at: new Date(nowMs - minutes * 60_000).toISOString(),
      user_id: "12",
      lang: "en",
      langs: ["en"],
      ...overrides,
    },
    Score: 1,
  };
  return { platform: "x", id, uri, userId: "12", record: JSON.stringify(record) };
}

export const makeAnswer = (items: readonly FetchedItem[]): SourceAnswer => ({
  items,
  next: null,
  nextPosition: null,
  complete: true,
  coverage: {
    fromMs: testRequest.fromMs,
    toMs: testRequest.toMs,
    complete: true,
    gaps: [],
    truncated: false,
    platforms: [
      {
        platform: "x",
        collection: "posts",
        complete: true,
        held: [{ fromMs: testRequest.fromMs, toMs: testRequest.toMs }],
        gaps: [],
        truncated: false,
      },
    ],
  },
  sources: [
    {
      platform: "x",
      via: "archive",
      fromMs: testRequest.fromMs,
      toMs: testRequest.toMs,
      count: items.length,
    },
  ],
  warnings: [{ code: "a_warning", message: "something to know" }],
});

export type TestNode = Awaited<ReturnType<typeof makeNode>>;

export async function makeNode(
  kind: EvidenceKind,
  tee: SimulatedWorld | null = null,
  overrides: Partial<NodeStatement> = {},
) {
  const keys = await makeRunKeys();
  const identity = makeSigningKey();
  const statement: NodeStatement = {
    version: 1,
    evidence: kind,
    audience: "earshot",
    nonce: encodeBase64Url(Buffer.alloc(32, 7)),
    identity_key: identity.publicKey,
    signing_key: keys.signingKey,
    sealing_key: keys.encryptionKey,
    boot_id: encodeBase64Url(Buffer.alloc(16, 1)),
    gateway_key: deriveGatewayKey(Buffer.alloc(32, 3)).publicKey,
    ...overrides,
  };
  const evidence =
    tee === null
      ? { quote: null, event_log: null, vm_config: null }
      : tee.evidence(hashReportData(statement));
  const attestation: Attestation = {
    id: hashAttestationId(statement, evidence),
    node_id: hashNodeId(statement.identity_key),
    key_id: hashKeyId(statement),
    name: "a node",
    statement,
    identity_signature: encodeBase64Url(identity.sign(makeIdentityMessage(statement))),
    evidence,
    collateral: tee?.collateral() ?? null,
    policy_id: "the gateway's",
  };
  return { keys, identity, attestation };
}

type SignedContent = Parameters<typeof signResult>[0];

/** `overrides` replace what is signed. */
export function makeProof(
  { keys, attestation }: TestNode,
  answer: SourceAnswer,
  overrides: Partial<SignedContent> = {},
): Proof {
  const { statement, evidence } = attestation;
  const content = {
    body: answerBody(answer.items.filter((item) => "record" in item)),
    job: jobUuid,
    request: requestText(testRequest),
    knowledge: knowledgeText(answer),
    evidence: statement.evidence,
    quoteSha256: quoteDigest(evidence),
    attestationId: attestation.id,
    keyId: attestation.key_id,
    nowMs,
    ...overrides,
  };
  return {
    version: 1,
    job: jobUuid,
    body: Buffer.from(content.body).toString("utf8"),
    fields: signResult(content, keys),
    knowledge: content.knowledge,
    request: content.request,
    attestation,
  };
}
