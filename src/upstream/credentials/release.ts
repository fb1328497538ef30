import type {
  Credential,
  CredentialKind,
  CredentialTools,
  LeasedCredential,
  Secrets,
} from "../../platforms/credential.ts";
import { credentialRefused } from "../../platforms/credential-errors.ts";
import type { Platform } from "../../posts/post.ts";
import type { PooledCredential } from "./pool.ts";

/** What another process is sent of a credential, to use it for one job. It is held in memory alone. */
export type ReleasedCredential = {
  id: string;
  platform: Platform;
  kind: string;
  owner: "account" | "deployment";
  /** Where its requests go: an origin. */
  host: string;
  subject: string | null;
  revision: number;
  secrets: Secrets;
  /** Limits that are used up, Unix milliseconds. */
  coolings: readonly { bucket: string; untilMs: number }[];
};

/** A credential that was released to this process for the job that it runs. */
export type UsableRelease = {
  credential: ReleasedCredential;
  /** Whether its time is over. */
  isOver(): boolean;
};

/** What of a pooled credential is released; null where its kind releases nothing. */
export function releaseOf(
  { credential, kind, held, owner, revision }: PooledCredential,
  nowMs: number,
): ReleasedCredential | null {
  const secrets = kind.released?.(held.secrets()) ?? null;
  if (secrets === null) return null;
  const { id, platform, host, subject } = credential;
  const coolings = credential.coolings
    .filter(({ untilMs }) => untilMs > nowMs)
    .map(({ bucket, untilMs }) => ({ bucket, untilMs }));
  const shared = { id, platform, kind: kind.name, owner, host, subject, coolings };
  return { ...shared, revision: revision(), secrets };
}

/**
 * A released credential as a session uses it; null when its time is over or this process does not know its kind. It cannot be
 * renewed here: only the process that stores it can. Its secret cannot be read once its time is over (`credential_refused`).
 */
export function pooledRelease(
  { credential: released, isOver }: UsableRelease,
  { kinds, tools }: { kinds: readonly CredentialKind[]; tools: CredentialTools },
): PooledCredential | null {
  const kind = kinds.find(
    ({ platform, name }) => platform === released.platform && name === released.kind,
  );
  if (kind?.released === undefined || isOver()) return null;
  const { id, platform, host, subject, owner, revision, secrets, coolings } = released;
  const credential: Credential = {
    id,
    // Whose it is stays with the gateway.
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
    coolings: coolings.map((one) => ({ ...one, reason: "" })),
  };
  const held: LeasedCredential = {
    credential,
    secrets: () => {
      if (isOver()) throw releaseEnded(host);
      return secrets;
    },
    renew: async () => {
      throw credentialRefused(`${new URL(host).host} refuses the credential that was released`);
    },
  };
  return { credential, kind, held, revision: () => revision, tools, owner, coolingUntilMs: null };
}

function releaseEnded(host: string) {
  return credentialRefused(
    `the credential of ${new URL(host).host} was released for a shorter time`,
  );
}
