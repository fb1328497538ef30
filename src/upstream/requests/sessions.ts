import type { Session } from "../../platforms/session.ts";
import type { SourceCost } from "../../platforms/source.ts";
import type { AccessKind } from "../../platforms/upstream.ts";
import type { Platform } from "../../posts/post.ts";
import type { UsableRelease } from "../credentials/release.ts";

export type UpstreamJob = {
  uuid: string;
  accountId: string;
  attempt: number;
  /** When the answer stops being useful. */
  deadlineMs: number;
  /** Up to the deadline if omitted. */
  maxWaitMs?: number;
  signal: AbortSignal;
  /** Resolves when the job is on disk, before any platform request; absent if it already is. */
  accepted?: () => Promise<void>;
  /** For this job alone. */
  released?: UsableRelease;
};

export type Sessions = {
  /**
   * Best first: the account's credentials, the deployment's, then without one if `access` has
   * `public`. Within one owner `user` before `app`, least recently used first; used-up buckets
   * last.
   */
  open(requested: {
    job: UpstreamJob;
    platform: Platform;
    access: readonly AccessKind[];
    whose: "any" | "own";
    bucket: string | null;
    /**
     * On Mastodon: the origin to request; null for any, or the platform's own without a credential.
     */
    host: string | null;
    /** The credential to which a cursor is bound. */
    credentialId?: string | null;
  }): Promise<readonly OpenSession[]>;
  configured(platform: Platform, accountId: string): Promise<readonly ConfiguredAccess[]>;
  refusal(platform: Platform, accountId: string): Promise<string | null>;
};

export type ConfiguredAccess = { access: AccessKind; owner: "account" | "deployment" | null };

/**
 * `get` and `getPublic` throw `upstream_limited` with `retryAtMs` at once when the limit is used
 * up: another session may be able to answer now. Those of `patient`, the last resort, wait for the
 * reset and retry unless it is after the job's deadline.
 */
export type OpenSession = Session & {
  patient: Session;
  /** Null if the platform bills nothing. */
  cost(): SourceCost | null;
};
