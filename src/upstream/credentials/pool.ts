import type {
  Credential,
  CredentialKind,
  CredentialTools,
  LeasedCredential,
} from "../../platforms/credential.ts";
import type { AccessKind } from "../../platforms/upstream.ts";
import type { Platform } from "../../posts/post.ts";
import type { UsableRelease } from "./release.ts";

/**
 * Chooses among the credentials of a platform: an account's own before the deployment's, of each the one used longest ago;
 * one that is quarantined is left out, one whose limit is used up in that bucket comes last, the soonest open first. What
 * another process changes (`earshot credentials`) counts from the next choice on.
 */
export type CredentialPool = {
  /** The credentials that the account may use there, the best one first. */
  choose(asked: {
    platform: Platform;
    accountId: string;
    access: Exclude<AccessKind, "public">;
    /** `own`: the account's alone. */
    whose: "any" | "own";
    bucket: string | null;
    /** On Mastodon: the origin that the credential must be of; null for any. */
    host: string | null;
  }): Promise<readonly PooledCredential[]>;
  /** A credential by its id, where the account may use it and it is not quarantined; null else. */
  find(accountId: string, id: string, bucket?: string | null): Promise<PooledCredential | null>;
  /** A credential that was released for the job; null once its time is over. Nothing of it is stored. */
  released(release: UsableRelease): PooledCredential | null;
  /** Which accesses the account could use on a platform, whether or not their limits are open. */
  configured(
    platform: Platform,
    accountId: string,
  ): Promise<readonly { access: AccessKind; owner: "account" | "deployment" }[]>;
  /** Why a credential of the account's own is in quarantine there, the latest one; null where none is. */
  refusal(platform: Platform, accountId: string): Promise<string | null>;
  /** The limit of a bucket is used up until then, for a day at most; what is told last counts. */
  cool(id: string, bucket: string, untilMs: number, reason: string): void;
  /**
   * The platform refuses the credential as it was at that revision: nobody uses it until it is tested or made anew. Nothing
   * comes of it where the secret was replaced meanwhile.
   */
  quarantine(id: string, revision: number, reason: string): Promise<void>;
  /** A request is sent with it. */
  used(id: string): void;
};

export type PooledCredential = {
  credential: Credential;
  kind: CredentialKind;
  held: LeasedCredential;
  /** Counts the changes of what `held` holds. */
  revision(): number;
  /** What `kind.send` takes. */
  tools: CredentialTools;
  owner: "account" | "deployment";
  /** Until when the asked bucket is used up; null when it is open. */
  coolingUntilMs: number | null;
};
