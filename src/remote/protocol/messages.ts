import * as z from "zod";
import { evidenceKinds } from "../../jobs/result-signature.ts";
import { methodNames } from "../../platforms/methods.ts";
import { accessMethods } from "../../platforms/source.ts";
import { platforms } from "../../posts/post.ts";

/**
 * JSON over HTTP under /internal/nodes (docs/nodes.md). Binary is base64url unless noted; times are durations in milliseconds,
 * because clocks differ.
 */
const bytes = (least: number, most = least) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .min(Math.ceil((least * 4) / 3))
    .max(Math.ceil((most * 4) / 3));

const key = bytes(32);
const uuid = z.uuid();

export const challengeAnswer = z.object({
  nonce: bytes(32),
  gateway_key: key,
  expires_in_ms: z.number(),
  /** Unix milliseconds; nodes date signatures by it. */
  now_ms: z.number(),
});
export type ChallengeAnswer = z.infer<typeof challengeAnswer>;

/**
 * What a node attests: the gateway's nonce, identity (Ed25519), keys of this run (Ed25519 to sign results, X25519 to receive
 * jobs) and the key that must sign its jobs. The quote contains a hash of all of it.
 */
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

/** All null for `none`. The texts are JSON; the quote covers only the RTMR3 events of `event_log`. */
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

/** Signed with the statement's signing key. */
export const registration = z.strictObject({
  statement: nodeStatement,
  identity_signature: bytes(64),
  evidence: evidenceBody,
  name: z.string().min(1).max(64),
  capabilities: z.array(capability).max(platforms.length * methodNames.length),
  concurrency: z.int().min(1).max(1_000),
  url: z
    .url({ protocol: /^https?$/ })
    .max(512)
    .nullable(),
  version: z.string().max(64),
});
export type Registration = z.infer<typeof registration>;

/** A `pending` node attests again after `again_in_ms`. */
export const registrationAnswer = z.object({
  node_id: z.string(),
  key_id: z.string(),
  state: z.enum(["admitted", "pending"]),
  attestation_id: z.string(),
  valid_ms: z.number(),
  again_in_ms: z.number(),
  /** Longest hold of a lease request. */
  lease_wait_ms: z.number(),
});
export type RegistrationAnswer = z.infer<typeof registrationAnswer>;

export const leaseBody = z.strictObject({
  methods: z.array(z.enum(methodNames)).min(1),
  wait_ms: z.int().min(0).max(600_000),
});
export type LeaseBody = z.infer<typeof leaseBody>;

/** Encrypted to a run's keys and signed by the gateway (encrypted-job.ts). Gateway time in Unix seconds. */
export const jobEnvelope = z.strictObject({
  version: z.literal(1),
  key_id: z.string().max(64),
  job: uuid,
  /** Each lease is opened once. */
  lease: uuid,
  issued_at: z.int(),
  expires_at: z.int(),
  /** Attestation and expiry of a credential in the job. */
  release: z.strictObject({ attestation: z.string().max(64), expires_at: z.int() }).optional(),
  /** HPKE secret, encrypted job, and the gateway's signature over everything. */
  encapsulated: bytes(32),
  sealed: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .max(1_048_576),
  signature: bytes(64),
});
export type JobEnvelope = z.infer<typeof jobEnvelope>;

export const renewBody = z.strictObject({ job: uuid, token: uuid });
export const renewAnswer = z.object({ hold_ms: z.number() });

/** Encrypted for the gateway. */
export const sealedAnswer = z.strictObject({
  job: uuid,
  token: uuid,
  nonce: bytes(12),
  sealed: z.string().regex(/^[A-Za-z0-9_-]+$/),
});
export type SealedAnswer = z.infer<typeof sealedAnswer>;

/** No node serves more; higher rates are clamped. */
const mostRequestsPerSecond = 1_000;
const mostSubmissionsPerMinute = 10_000;
const rate = (most: number) =>
  z
    .number()
    .min(0)
    .transform((reported) => Math.min(reported, most));

/** An API key's status, for nodes that serve searches. Only the secret's hash is sent. */
export const introspectBody = z.strictObject({
  key_id: z.string().max(64),
  secret_sha256: bytes(32),
});
export const introspectAnswer = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("active"),
    /** Keys with the same name share rate limits. */
    rates_key: z.string().min(1).max(64),
    requests_per_second: rate(mostRequestsPerSecond),
    submissions_per_minute: rate(mostSubmissionsPerMinute),
    methods: z.array(z.enum(methodNames)).nullable(),
  }),
  z.object({ status: z.enum(["unknown", "suspended"]) }),
]);
export type IntrospectAnswer = z.infer<typeof introspectAnswer>;
