import type {
  Credential,
  CredentialInUse,
  CredentialKind,
  CredentialTools,
  Secrets,
} from "../../platforms/credential.ts";
import { credentialRefused } from "../../platforms/credential-errors.ts";
import type { Platform } from "../../posts/post.ts";
import type { PooledCredential } from "./pool.ts";

/** A credential sent to another process for one job; never stored there. */
export type ReleasedCredential = {
  id: string;
  platform: Platform;
  kind: string;
  owner: "account" | "deployment";
  host: string;
  subject: string | null;
  revision: number;
  secrets: Secrets;
  /** `untilMs` is in Unix milliseconds. */
  coolings: readonly { bucket: string; untilMs: number }[];
};

export type UsableRelease = {
  credential: ReleasedCredential;
  hasExpired(): boolean;
};

/** Null if its kind cannot be released. */
export function toReleasedCredential(
  { credential, kind, credentialInUse, owner, revision }: PooledCredential,
  nowMs: number,
): ReleasedCredential | null {
  const secrets = kind.releasedSecrets?.(credentialInUse.secrets()) ?? null;
  if (secrets === null) return null;
  const { id, platform, host, subject } = credential;
  const coolings = credential.coolings
    .filter(({ untilMs }) => untilMs > nowMs)
    .map(({ bucket, untilMs }) => ({ bucket, untilMs }));
  const sharedFields = { id, platform, kind: kind.name, owner, host, subject, coolings };
  return { ...sharedFields, revision: revision(), secrets };
}

/**
 * Null if the release has expired or its kind is unknown. Only the storing process can renew it.
 */
export function pooledRelease(
  { credential: releasedCredential, hasExpired }: UsableRelease,
  { kinds, tools }: { kinds: readonly CredentialKind[]; tools: CredentialTools },
): PooledCredential | null {
  const kind = kinds.find(
    ({ platform, name }) =>
      platform === releasedCredential.platform && name === releasedCredential.kind,
  );
  if (kind?.releasedSecrets === undefined || hasExpired()) return null;
  const { id, platform, host, subject, owner, revision, secrets, coolings } = releasedCredential;
  const credential: Credential = {
    id,
    // Only the gateway knows the owner.
    accountId: null,
    platform,
    kind: kind.name,
    host,
    subject,
    subjectName: null,
    hint: "",
    createdMs: 0,
    usedMs: null,
    quarantine: null,
    coolings: coolings.map((cooling) => ({ ...cooling, reason: "" })),
  };
  const fixedCredential: CredentialInUse = {
    credential,
    secrets: () => {
      if (hasExpired()) throw releaseExpired(host);
      return secrets;
    },
    renew: async () => {
      throw credentialRefused(`${new URL(host).host} refused the released credential`);
    },
  };
  return {
    credential,
    kind,
    credentialInUse: fixedCredential,
    revision: () => revision,
    tools,
    owner,
    cooldownUntilMs: null,
  };
}

function releaseExpired(host: string) {
  return credentialRefused(`the released credential for ${new URL(host).host} has expired`);
}
