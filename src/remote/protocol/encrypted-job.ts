import * as z from "zod";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { platforms } from "../../posts/post.ts";
import type { ReleasedCredential } from "../../upstream/credentials/release.ts";
import { decodeBase64Url, encodeBase64Url, frame } from "./encoding.ts";
import type { AnswerKey } from "./encrypted-answer.ts";
import { jobRefused } from "./errors.ts";
import { type Binding, encryptTo } from "./hpke.ts";
import { isSignedBy, type RunKeys, type SigningKey } from "./keys.ts";
import { type JobEnvelope, jobEnvelope } from "./messages.ts";

const releasedCredential: z.ZodType<ReleasedCredential> = z.strictObject({
  id: z.string().min(1).max(64),
  platform: z.enum(platforms),
  kind: z.string().max(64),
  owner: z.enum(["account", "deployment"]),
  host: z.url({ protocol: /^https?$/ }).max(512),
  subject: z.string().max(512).nullable(),
  revision: z.int(),
  secrets: z.record(z.string().max(64), z.string().max(8_192)),
  coolings: z.array(z.strictObject({ bucket: z.string().max(64), untilMs: z.number() })).max(100),
});

const jobPayload = z.strictObject({
  token: z.uuid(),
  attempt: z.int().min(1),
  /** Milliseconds until the job's deadline (`left_ms`), and until the lease expires unless renewed (`hold_ms`). */
  left_ms: z.number().min(0),
  hold_ms: z.number().min(0),
  request: z.string().max(262_144),
  credential: releasedCredential.optional(),
});

export type JobPayload = z.infer<typeof jobPayload>;

export type OpenedJob = Awaited<ReturnType<typeof openJob>>;

/** Tolerance for the node's estimate of the gateway's clock, in seconds. */
const clockToleranceSeconds = 30;

type Head = Omit<JobEnvelope, "version" | "encapsulated" | "sealed" | "signature">;

function envelopeAad({ key_id, job, lease, issued_at, expires_at, release }: Head): Buffer {
  const releaseFields = release === undefined ? [] : [release.attestation, release.expires_at];
  return frame("earshot-job-head/v1", key_id, job, lease, issued_at, expires_at, ...releaseFields);
}

const encryptionBinding = (head: Head): Binding => ({
  info: frame("earshot-job/v1", head.key_id, head.job, head.lease),
  aad: envelopeAad(head),
});

const signedPart = (head: Head, encapsulated: Uint8Array, ciphertext: Uint8Array): Buffer =>
  frame("earshot-job-signature/v1", envelopeAad(head), encapsulated, ciphertext);

/** Nodes refuse the envelope from `lifetimeMs` after `nowMs`, on the gateway's clock. */
export async function encryptJob(options: {
  keyId: string;
  encryptionKey: string;
  job: string;
  lease: string;
  payload: JobPayload;
  release?: JobEnvelope["release"];
  nowMs: number;
  lifetimeMs: number;
  gateway: SigningKey;
}): Promise<{ envelope: JobEnvelope; answerKey: AnswerKey }> {
  const { keyId, encryptionKey, job, lease, payload, release, nowMs, lifetimeMs, gateway } =
    options;
  const head: Head = {
    key_id: keyId,
    job,
    lease,
    issued_at: Math.floor(nowMs / 1_000),
    expires_at: Math.ceil((nowMs + lifetimeMs) / 1_000),
    ...(release !== undefined && { release }),
  };
  const plaintext = Buffer.from(JSON.stringify(payload));
  const encryptedPayload = await encryptTo(encryptionKey, plaintext, encryptionBinding(head));
  if (encryptedPayload === null) {
    throw jobRefused("key_unusable", "the node's encryption key is unusable");
  }
  const signature = gateway.sign(
    signedPart(head, encryptedPayload.encapsulated, encryptedPayload.ciphertext),
  );
  const envelope: JobEnvelope = {
    version: 1,
    ...head,
    encapsulated: encodeBase64Url(encryptedPayload.encapsulated),
    sealed: encodeBase64Url(encryptedPayload.ciphertext),
    signature: encodeBase64Url(signature),
  };
  return { envelope, answerKey: { key: encryptedPayload.exportedKey, aad: envelopeAad(head) } };
}

export async function openJob(
  envelope: unknown,
  options: {
    keys: RunKeys;
    keyId: string;
    gatewayKey: string;
    nowMs: number;
    openedLeases: OpenedLeases;
  },
) {
  const { keys, keyId, gatewayKey, nowMs, openedLeases } = options;
  const job = jobEnvelope.safeParse(envelope).data;
  const encapsulated = decodeBase64Url(job?.encapsulated ?? "", 32);
  const ciphertext = decodeBase64Url(job?.sealed ?? "");
  const signature = decodeBase64Url(job?.signature ?? "", 64);
  if (job === undefined || encapsulated === null || ciphertext === null || signature === null) {
    throw jobRefused("malformed", "the job's envelope is malformed");
  }
  if (job.key_id !== keyId) {
    throw jobRefused("other_key", "the job is encrypted to another run's keys");
  }
  if (!isSignedBy(gatewayKey, signedPart(job, encapsulated, ciphertext), signature)) {
    throw jobRefused("not_signed", "the job is not signed by the attested gateway");
  }
  if (job.expires_at * 1_000 < nowMs || (job.issued_at - clockToleranceSeconds) * 1_000 > nowMs) {
    throw jobRefused("outside_time", "the job is not valid at this time");
  }
  if (!openedLeases.add(job.lease, job.expires_at * 1_000, nowMs)) {
    throw jobRefused("replayed", "the lease was already decrypted");
  }
  const decryptedPayload = await keys.open(encapsulated, ciphertext, encryptionBinding(job));
  if (decryptedPayload === null)
    throw jobRefused("not_openable", "this key cannot decrypt the job");
  const payload = readPayload(decryptedPayload.plaintext);
  if (payload === null || (payload.credential === undefined) !== (job.release === undefined)) {
    throw jobRefused("payload_malformed", "the job's payload is malformed");
  }
  const answerKey = { key: decryptedPayload.exportedKey, aad: envelopeAad(job) };
  return { uuid: job.job, payload, release: job.release, answerKey };
}

function readPayload(plaintext: Uint8Array): JobPayload | null {
  try {
    return jobPayload.parse(parseUntrustedJson(plaintext));
  } catch {
    return null;
  }
}

export type OpenedLeases = ReturnType<typeof createOpenedLeases>;

const maxLeases = 100_000;

/** Remembers leases while their envelopes could be sent again. */
export function createOpenedLeases(max = maxLeases) {
  const expiries = new Map<string, number>();
  return {
    add: (lease: string, expiresMs: number, nowMs: number): boolean => {
      if (expiries.has(lease)) return false;
      if (expiries.size >= max) {
        for (const [openedLease, ms] of expiries) if (ms < nowMs) expiries.delete(openedLease);
      }
      if (expiries.size >= max) return false;
      expiries.set(lease, expiresMs);
      return true;
    },
  };
}
