import { randomBytes } from "node:crypto";
import type { LightMyRequestResponse } from "fastify";
import type { EvidenceKind } from "../../src/jobs/result-signature.ts";
import type { Method } from "../../src/platforms/methods.ts";
import type { AnswerRequest, FetchedItem, SourceAnswer } from "../../src/platforms/source.ts";
import type { Evidence } from "../../src/remote/evidence/evidence.ts";
import { answerBody, answerBytes } from "../../src/remote/protocol/answer.ts";
import { encodeBase64Url } from "../../src/remote/protocol/encoding.ts";
import { type AnswerKey, encryptAnswer } from "../../src/remote/protocol/encrypted-answer.ts";
import {
  createOpenedLeases,
  type JobPayload,
  openJob,
} from "../../src/remote/protocol/encrypted-job.ts";
import {
  enrolmentField,
  enrolmentProof,
  makeEnrolmentToken,
} from "../../src/remote/protocol/enrolment.ts";
import { makeRunKeys, makeSigningKey, type RunKeys } from "../../src/remote/protocol/keys.ts";
import type {
  ChallengeResponse,
  JobEnvelope,
  Registration,
  RegistrationResponse,
} from "../../src/remote/protocol/messages.ts";
import { signRequest } from "../../src/remote/protocol/signed-request.ts";
import { quoteDigest, signResult } from "../../src/remote/protocol/signed-result.ts";
import {
  gatewayAudience,
  hashKeyId,
  hashNodeId,
  hashReportData,
  makeIdentityMessage,
  type NodeStatement,
} from "../../src/remote/protocol/statement.ts";
import { knowledgeText, readRequest } from "../../src/remote/protocol/texts.ts";
import type { ServiceUnderTest } from "../service/service-under-test.ts";

export type StoredJob = {
  envelope: JobEnvelope;
  payload: JobPayload;
  request: AnswerRequest;
  answerKey: AnswerKey;
};

export type RequestChanges = {
  /** Seconds that the node's clock is ahead. */
  aheadSeconds?: number;
  nonce?: string;
  keyId?: string;
  keys?: Pick<RunKeys, "sign">;
  /** The signed path, if it differs from the URL's. */
  path?: string;
  sentBody?: string;
};

export type GatewayAccess<Response> = {
  enrolmentToken: string;
  nowMs(): number;
  send(url: string, headers: Record<string, string>, payload: string): Promise<Response>;
};

type NodeResponse = Pick<LightMyRequestResponse, "statusCode" | "body">;

type HandDrivenOptions = {
  evidence: EvidenceKind;
  evidenceFor: (reportData: Uint8Array) => Evidence;
  name?: string;
  methods?: readonly Method[];
};

export type HandDrivenNode = Awaited<ReturnType<typeof handDrivenNode>>;

/** A node that a test controls, and that can misbehave. */
export const handDrivenNode = (
  service: Pick<ServiceUnderTest, "app" | "clock" | "context">,
  options: HandDrivenOptions,
) =>
  nodeAt<LightMyRequestResponse>(
    {
      enrolmentToken: makeEnrolmentToken(service.context.secrets.secretKey),
      nowMs: () => service.clock.now(),
      send: (url, headers, payload) =>
        service.app.inject({ method: "POST", url, headers, payload }),
    },
    options,
  );

export async function nodeAt<Response extends NodeResponse>(
  gateway: GatewayAccess<Response>,
  { evidence, evidenceFor, name = "by hand", methods = ["searchbyquery"] }: HandDrivenOptions,
) {
  const identity = makeSigningKey();
  const keys = await makeRunKeys();
  const bootId = encodeBase64Url(randomBytes(16));
  const keyId = hashKeyId({ signing_key: keys.signingKey, sealing_key: keys.encryptionKey });
  const openedLeases = createOpenedLeases();
  let attestation: { registration: Registration; response: RegistrationResponse } | null = null;

  function sign(path: string, text: string, changes: RequestChanges = {}): Record<string, string> {
    const signed = signRequest(
      {
        method: "POST",
        path: changes.path ?? path,
        body: text,
        keyId: changes.keyId ?? keyId,
        nowMs: gateway.nowMs() + (changes.aheadSeconds ?? 0) * 1_000,
        nonce: changes.nonce ?? encodeBase64Url(randomBytes(16)),
      },
      changes.keys ?? keys,
    );
    const enrolment = enrolmentProof(gateway.enrolmentToken, signed["signature-input"] ?? "");
    return { "content-type": "application/json", ...signed, [enrolmentField]: enrolment };
  }

  async function post(
    route: string,
    body: unknown,
    changes: RequestChanges = {},
  ): Promise<Response> {
    const url = `/internal/nodes/${route}`;
    const text = JSON.stringify(body);
    const headers = sign(url, text, changes);
    return await gateway.send(url, headers, changes.sentBody ?? text);
  }

  async function challenge(): Promise<ChallengeResponse> {
    return JSON.parse((await post("challenge", {})).body);
  }

  async function registration(changes: Partial<NodeStatement> = {}): Promise<Registration> {
    const { nonce, gateway_key } = await challenge();
    const statement: NodeStatement = {
      version: 1,
      evidence,
      audience: gatewayAudience,
      nonce,
      identity_key: identity.publicKey,
      signing_key: keys.signingKey,
      sealing_key: keys.encryptionKey,
      boot_id: bootId,
      gateway_key,
      ...changes,
    };
    return {
      statement,
      identity_signature: encodeBase64Url(identity.sign(makeIdentityMessage(statement))),
      evidence: evidenceFor(hashReportData(statement)),
      name,
      capabilities: methods.flatMap((method) =>
        (["bluesky", "mastodon", "x"] as const).map((platform) => ({
          platform,
          method,
          ways: ["archive" as const],
        })),
      ),
      concurrency: 8,
      version: "test",
    };
  }

  async function attest(): Promise<RegistrationResponse> {
    const newRegistration = await registration();
    const response = await post("register", newRegistration);
    if (response.statusCode !== 200) throw new Error(response.body);
    attestation = { registration: newRegistration, response: JSON.parse(response.body) };
    return attestation.response;
  }

  async function lease(waitMs = 10_000): Promise<StoredJob> {
    const response = await post("lease", { methods, wait_ms: waitMs });
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${response.body}`);
    const envelope: JobEnvelope = JSON.parse(response.body);
    const gatewayKey = attestation?.registration.statement.gateway_key ?? "";
    const { payload, answerKey } = await openJob(envelope, {
      keys,
      keyId,
      gatewayKey,
      nowMs: gateway.nowMs(),
      openedLeases,
    });
    return { envelope, payload, answerKey, request: readRequest(payload.request) };
  }

  function signAnswer(
    job: StoredJob,
    items: readonly FetchedItem[],
    signer: Pick<RunKeys, "sign"> = keys,
  ) {
    if (attestation === null) throw new Error("the node has not attested");
    const { registration: current, response } = attestation;
    const body = answerBody(items);
    const knowledge = knowledgeText(emptyAnswer(job.request));
    const fields = signResult(
      {
        body,
        job: job.envelope.job,
        request: job.payload.request,
        knowledge,
        evidence,
        quoteSha256: quoteDigest(current.evidence),
        attestationId: response.attestation_id,
        keyId,
        nowMs: gateway.nowMs(),
      },
      signer,
    );
    return { body, items, knowledge, fields };
  }

  async function complete(
    job: StoredJob,
    answer: ReturnType<typeof signAnswer>,
    changes: RequestChanges & { token?: string } = {},
  ) {
    return await post(
      "complete",
      encryptForGateway(job, answerBytes(answer), changes.token),
      changes,
    );
  }

  return {
    keys,
    keyId,
    sign,
    nodeId: hashNodeId(identity.publicKey),
    post,
    challenge,
    registration,
    attest,
    lease,
    signAnswer,
    complete,
  };
}

export function encryptForGateway(
  job: StoredJob,
  plaintext: Uint8Array,
  token = job.payload.token,
) {
  return { job: job.envelope.job, token, ...encryptAnswer(job.answerKey, plaintext) };
}

function emptyAnswer({ fromMs, toMs }: AnswerRequest): Omit<SourceAnswer, "items"> {
  return {
    next: null,
    nextPosition: null,
    complete: true,
    coverage: { fromMs, toMs, complete: true, gaps: [] },
    sources: [],
    warnings: [],
  };
}

export function makeItem(id: bigint, createdMs: number, text = "comet"): FetchedItem {
  const uri = `at://did:plc:ann/app.bsky.feed.post/${id}`;
  const record = JSON.stringify({
    ID: String(id),
    Content: text,
    Metadata: {
      platform: "bluesky",
      uri,
      user_id: "did:plc:ann",
      created_at: new Date(createdMs).toISOString(),
    },
    Score: 1,
  });
  return { platform: "bluesky", id, uri, userId: "did:plc:ann", record };
}
