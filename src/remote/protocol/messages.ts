/**
 * JSON over HTTP under /internal/nodes (docs/nodes.md). Binary values are in base64url, quotes in
 * hexadecimal; most times are durations, because clocks differ.
 */

import * as z from "zod";
import { evidenceKinds } from "../../jobs/result-signature.ts";
import { methodNames } from "../../platforms/methods.ts";
import { accessMethods } from "../../platforms/source.ts";
import { platforms } from "../../posts/post.ts";

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/);
const bytes = (length: number) => base64url.length(Math.ceil((length * 4) / 3));

const key = bytes(32);
const uuid = z.uuid();

export const challengeResponse = z.object({
  nonce: bytes(32),
  gateway_key: key,
  expires_in_ms: z.number(),
  /** Nodes date their signatures by this clock. */
  now_ms: z.number(),
});
export type ChallengeResponse = z.infer<typeof challengeResponse>;

/** The quote contains a hash of this statement. */
export const nodeStatement = z.strictObject({
  version: z.literal(1),
  evidence: z.enum(evidenceKinds),
  audience: z.string().max(256),
  nonce: bytes(32),
  identity_key: key,
  signing_key: key,
  sealing_key: key,
  boot_id: bytes(16),
  gateway_key: key,
});

export type NodeStatement = z.infer<typeof nodeStatement>;

export const capability = z.strictObject({
  platform: z.enum(platforms),
  method: z.enum(methodNames),
  ways: z.array(z.enum(accessMethods)).max(accessMethods.length),
});

/** All members are null for `none`. The quote covers only the RTMR3 events of the log. */
export const evidenceBody = z.strictObject({
  quote: z
    .string()
    .regex(/^(?:[0-9a-f]{2})+$/)
    .max(65_536)
    .nullable(),
  event_log: z.string().max(262_144).nullable(),
  vm_config: z.string().max(65_536).nullable(),
});
export type Evidence = z.infer<typeof evidenceBody>;

export const registration = z.strictObject({
  statement: nodeStatement,
  identity_signature: bytes(64),
  evidence: evidenceBody,
  name: z.string().min(1).max(64),
  capabilities: z.array(capability).max(platforms.length * methodNames.length),
  concurrency: z.int().min(1).max(1_000),
  version: z.string().max(64),
});
export type Registration = z.infer<typeof registration>;

/** A `pending` node attests again after `again_in_ms`. */
export const registrationResponse = z.object({
  node_id: z.string(),
  key_id: z.string(),
  state: z.enum(["admitted", "pending"]),
  attestation_id: z.string(),
  valid_ms: z.number(),
  again_in_ms: z.number(),
  lease_wait_ms: z.number(),
});
export type RegistrationResponse = z.infer<typeof registrationResponse>;

export const leaseBody = z.strictObject({
  methods: z.array(z.enum(methodNames)).min(1),
  wait_ms: z.int().min(0).max(600_000),
});
export type LeaseBody = z.infer<typeof leaseBody>;

/** Encrypted to a run's keys and signed by the gateway. Unix seconds. */
export const jobEnvelope = z.strictObject({
  version: z.literal(1),
  key_id: z.string().max(64),
  job: uuid,
  lease: uuid,
  issued_at: z.int(),
  expires_at: z.int(),
  release: z.strictObject({ attestation: z.string().max(64), expires_at: z.int() }).optional(),
  encapsulated: bytes(32),
  sealed: base64url.max(1_048_576),
  signature: bytes(64),
});
export type JobEnvelope = z.infer<typeof jobEnvelope>;

export const renewBody = z.strictObject({ job: uuid, token: uuid });
export const renewResponse = z.object({ hold_ms: z.number() });

export const encryptedAnswerBody = z.strictObject({
  job: uuid,
  token: uuid,
  nonce: bytes(12),
  sealed: base64url,
});
export type EncryptedAnswer = z.infer<typeof encryptedAnswerBody>;
