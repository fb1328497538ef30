import type { Session } from "../../platforms/session.ts";
import type { SourceCost } from "../../platforms/source.ts";
import type { AccessKind } from "../../platforms/upstream.ts";
import type { Platform } from "../../posts/post.ts";
import type { UsableRelease } from "../credentials/release.ts";

export type AskingJob = {
  uuid: string;
  accountId: string;
  attempt: number;
  /** Until when an answer is useful, Unix milliseconds. */
  deadlineMs: number;
  /** How long a request may wait for a limit to reopen; up to the deadline if omitted. */
  mostWaitMs?: number;
  signal: AbortSignal;
  /** Resolves when the job is on disk, before any platform request; absent if it already is. */
  accepted?: () => Promise<void>;
  /** Released by the gateway to this node for this job alone. */
  released?: UsableRelease;
};

/** The accesses by which a job may request a platform. */
export type Sessions = {
  /**
   * Lists the best first: the account's credentials, the deployment's, then without one if `access` has `public`. Within one
   * owner `user` before `app`, least recently used first; those with a used-up bucket last.
   */
  open(requested: {
    job: AskingJob;
    platform: Platform;
    access: readonly AccessKind[];
    whose: "any" | "own";
    bucket: string | null;
    /** On Mastodon: the origin to request; null for any, or the platform's own without a credential. */
    host: string | null;
    /** The credential to which a cursor is bound; any if absent or null. */
    credentialId?: string | null;
  }): Promise<readonly OpenSession[]>;
  configured(platform: Platform, accountId: string): Promise<readonly ConfiguredAccess[]>;
  refusal(platform: Platform, accountId: string): Promise<string | null>;
};

export type ConfiguredAccess = { access: AccessKind; owner: "account" | "deployment" | null };

/**
 * `get` and `getPublic` of the session throw `upstream_limited` at once when the limit is used up, with `retryAtMs` (see
 * `UpstreamLimited`): another session may be able to answer now. Those of `patient`, as a last resort, wait for the reset and
 * retry, and throw only if it is after the job's deadline.
 */
export type OpenSession = Session & {
  patient: Session;
  /** Null if the platform bills nothing. */
  cost(): SourceCost | null;
};
