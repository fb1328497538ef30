import { randomUUID } from "node:crypto";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { AnswerRequest } from "../../platforms/source.ts";
import { encryptJob } from "../protocol/encrypted-job.ts";
import { deriveGatewayKey, makeRunKeys, makeSigningKey } from "../protocol/keys.ts";
import { aCredential } from "../protocol/released-credential.test-support.ts";
import { hashKeyId, hashNodeId } from "../protocol/statement.ts";
import { requestText } from "../protocol/texts.ts";
import type { AttestationResult } from "./attest.ts";
import type { GatewayLink } from "./gateway-link.ts";
import type { NodeSelf } from "./self.ts";

type Route = Parameters<GatewayLink["post"]>[0];
type Respond = (body: never) => unknown;

export const fakeGatewayKey = deriveGatewayKey(Buffer.alloc(32, 7));

export function fakeGateway(responses: Partial<Record<Route, Respond>> = {}) {
  const receivedRequests: { route: Route; body: Record<string, unknown> }[] = [];
  const link: GatewayLink = {
    post: async (route, body) => {
      receivedRequests.push({ route, body: body as Record<string, unknown> });
      const respond = responses[route];
      if (respond === undefined) throw new Error(`no response to ${route} is configured`);
      return await respond(body as never);
    },
  };
  return {
    link,
    responses,
    received: receivedRequests,
    bodiesFor: (route: Route) =>
      receivedRequests.filter((one) => one.route === route).map(({ body }) => body),
  };
}

export async function makeSelf(): Promise<NodeSelf> {
  const identity = makeSigningKey(Buffer.alloc(32, 9));
  const keys = await makeRunKeys();
  return {
    identity,
    keys,
    nodeId: hashNodeId(identity.publicKey),
    keyId: hashKeyId({ signing_key: keys.signingKey, sealing_key: keys.encryptionKey }),
    bootId: Buffer.alloc(16, 1).toString("base64url"),
  };
}

export const anAttestation = (overrides: Partial<AttestationResult> = {}): AttestationResult => ({
  state: "admitted",
  attestationId: Buffer.alloc(32, 3).toString("base64url"),
  quoteSha256: null,
  gatewayKey: fakeGatewayKey.publicKey,
  atMs: 0,
  untilMs: 3_600_000,
  validMs: 3_600_000,
  againMs: 1_800_000,
  leaseWaitMs: 20_000,
  ...overrides,
});

export const aRequest: AnswerRequest = {
  platform: "social",
  type: "social",
  method: "searchbyquery",
  query: "comet",
  maxResults: 20,
  fromMs: null,
  toMs: 1_700_000_000_000,
  asOfMs: 1_700_000_000_000,
  after: null,
};

export async function aJob(
  { keyId, keys }: NodeSelf,
  clock: Pick<Clock, "now">,
  overrides: {
    request?: string;
    gateway?: typeof fakeGatewayKey;
    nowMs?: number;
    released?: { attestation: string; lifetimeMs: number };
  } = {},
) {
  const {
    request = requestText(aRequest),
    gateway = fakeGatewayKey,
    nowMs = clock.now(),
  } = overrides;
  const job = randomUUID();
  const token = randomUUID();
  const { released } = overrides;
  const release = released && {
    attestation: released.attestation,
    expires_at: Math.floor((nowMs + released.lifetimeMs) / 1_000),
  };
  const credential = released && aCredential;
  const encrypted = await encryptJob({
    keyId,
    encryptionKey: keys.encryptionKey,
    job,
    lease: randomUUID(),
    payload: { token, attempt: 1, left_ms: 120_000, hold_ms: 30_000, request, credential },
    release,
    nowMs,
    lifetimeMs: 30_000,
    gateway,
  });
  return { ...encrypted, job, token, request };
}

export const refusal = (code: string, status: number, check?: string): EarshotError =>
  new EarshotError(code, "the gateway refused the request", {
    status,
    details: check === undefined ? [] : [{ code: check, message: "failed check" }],
  });
