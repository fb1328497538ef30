import type {
  Credential,
  CredentialInUse,
  CredentialKind,
  CredentialTools,
} from "../../platforms/credential.ts";
import type { AccessKind } from "../../platforms/upstream.ts";
import type { Platform } from "../../posts/post.ts";
import type { UsableRelease } from "./release.ts";

/**
 * An account's own credentials come before the deployment's, least recently used first, used-up
 * ones last. Other processes' changes apply to the next choice.
 */
export type CredentialPool = {
  choose(request: {
    platform: Platform;
    accountId: string;
    access: Exclude<AccessKind, "public">;
    ownership: "any" | "own";
    bucket: string | null;
    /** The Mastodon server; null for any. */
    host: string | null;
  }): Promise<readonly PooledCredential[]>;
  find(accountId: string, id: string, bucket?: string | null): Promise<PooledCredential | null>;
  /** A credential for one job, never stored; null once expired. */
  openRelease(release: UsableRelease): PooledCredential | null;
  /** Includes used-up credentials. */
  configured(
    platform: Platform,
    accountId: string,
  ): Promise<readonly { access: AccessKind; owner: "account" | "deployment" }[]>;
  /** The latest reason for quarantining an account's own credential. */
  refusal(platform: Platform, accountId: string): Promise<string | null>;
  /** Lasts at most a day; the latest call applies. */
  startCooldown(id: string, bucket: string, untilMs: number, reason: string): void;
  /** Lasts until the credential is tested or replaced. No-op if the secret has another revision. */
  quarantine(id: string, revision: number, reason: string): Promise<void>;
  recordUse(id: string): void;
};

export type PooledCredential = {
  credential: Credential;
  kind: CredentialKind;
  credentialInUse: CredentialInUse;
  revision(): number;
  tools: CredentialTools;
  owner: "account" | "deployment";
  /** When the requested bucket reopens; null if open. */
  cooldownUntilMs: number | null;
};
