import * as z from "zod";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { platforms } from "../../posts/post.ts";
import type { ReleasedCredential } from "../../upstream/credentials/release.ts";
import { base64url, bytesOf, frame } from "./encoding.ts";
import { jobRefused } from "./errors.ts";
import { type Binding, sealTo } from "./hpke.ts";
import type { RunKeys } from "./keys.ts";

/**
 * A credential in a job, encrypted once more: to the attested key of the run, and bound to the job, the lease, the attestation
 * that allowed it and the time until which it may be used (Unix seconds).
 */
export const sealedCredential = z.strictObject({
  attestation: z.string().max(64),
  expires_at: z.int(),
  encapsulated: z.string().max(64),
  sealed: z.string().max(65_536),
});
export type SealedCredential = z.infer<typeof sealedCredential>;

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

/** The lease that a credential is released for, and the run that may open it. */
export type ReleaseTarget = { keyId: string; job: string; lease: string };

type Head = Pick<SealedCredential, "attestation" | "expires_at">;

const bindingOf = (target: ReleaseTarget, head: Head): Binding => {
  const { keyId, job, lease } = target;
  return {
    info: frame("earshot-credential/v1", keyId, job, lease),
    aad: frame("earshot-credential-head/v1", keyId, job, lease, head.attestation, head.expires_at),
    secretLabel: "earshot credential/v1",
  };
};

/** Encrypts a credential to the sealing key of a run. Errors: `job_refused` with `key_unusable`. */
export async function sealCredential(
  credential: ReleasedCredential,
  {
    sealingKey,
    untilMs,
    attestation,
    ...target
  }: ReleaseTarget & {
    sealingKey: string;
    attestation: string;
    /** Unix milliseconds. */
    untilMs: number;
  },
): Promise<SealedCredential> {
  const head: Head = { attestation, expires_at: Math.floor(untilMs / 1_000) };
  const plain = Buffer.from(JSON.stringify(credential));
  const sealed = await sealTo(sealingKey, plain, bindingOf(target, head));
  if (sealed === null) {
    throw jobRefused("key_unusable", "nothing can be encrypted to the sealing key of the node");
  }
  return {
    ...head,
    encapsulated: base64url(sealed.encapsulated),
    sealed: base64url(sealed.sealed),
  };
}

/**
 * Decrypts a credential with the keys of the run. Errors: `job_refused` with `other_attestation`, `credential_expired`,
 * `credential_not_openable` or `credential_malformed`.
 */
export async function openCredential(
  sealed: SealedCredential,
  {
    keys,
    attestations,
    nowMs,
    ...target
  }: ReleaseTarget & {
    keys: Pick<RunKeys, "open">;
    /** Those of the run that count now. */
    attestations: readonly string[];
    /** The gateway's clock, as the node knows it. */
    nowMs: number;
  },
): Promise<ReleasedCredential> {
  if (!attestations.includes(sealed.attestation)) {
    throw jobRefused("other_attestation", "the credential was released to another attestation");
  }
  if (sealed.expires_at * 1_000 <= nowMs) {
    throw jobRefused("credential_expired", "the credential was released for an earlier time");
  }
  const encapsulated = bytesOf(sealed.encapsulated, 32);
  const bytes = bytesOf(sealed.sealed);
  const opened =
    encapsulated === null || bytes === null
      ? null
      : await keys.open(encapsulated, bytes, bindingOf(target, sealed));
  if (opened === null) {
    throw jobRefused(
      "credential_not_openable",
      "the credential was not released for this job and key",
    );
  }
  const credential = read(opened.plain);
  if (credential === null) throw jobRefused("credential_malformed", "the credential is malformed");
  return credential;
}

function read(plain: Uint8Array): ReleasedCredential | null {
  try {
    return releasedCredential.parse(parseUntrustedJson(plain));
  } catch {
    return null;
  }
}
