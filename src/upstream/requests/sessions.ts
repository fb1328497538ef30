import type { Session } from "../../platforms/session.ts";
import type { SourceCost } from "../../platforms/source.ts";
import type { AccessKind } from "../../platforms/upstream.ts";
import type { Platform } from "../../posts/post.ts";
import type { UsableRelease } from "../credentials/release.ts";

/** The job that asks. `attempt` counts from 1. */
export type AskingJob = {
  uuid: string;
  accountId: string;
  attempt: number;
  /** Until when an answer is of use, Unix milliseconds. */
  deadlineMs: number;
  /** How long one request may wait for a limit to open; as long as the job has where it is left out. */
  mostWaitMs?: number;
  signal: AbortSignal;
  /** Resolves when the job is on disk: no platform is asked for it before. Absent when it is already. */
  accepted?: () => Promise<void>;
  /** A credential that the gateway has released to this node for this job alone; absent without one. */
  released?: UsableRelease;
};

/** Opens sessions: the ways in which a job may ask a platform. */
export type Sessions = {
  /**
   * The ways that are open to a job, the best one first: its account's credentials, the deployment's, then without one where
   * `access` has `public`. Within one owner `user` before `app`; of each the one used longest ago; those whose bucket is used
   * up come last. Empty when there is none.
   */
  open(asked: {
    job: AskingJob;
    platform: Platform;
    access: readonly AccessKind[];
    whose: "any" | "own";
    bucket: string | null;
    /** On Mastodon: the origin to ask, with a credential of it or openly; null for any, and openly for the platform's own. */
    host: string | null;
    /** This credential alone, whose cursor it is; any when absent or null. */
    credentialId?: string | null;
  }): Promise<readonly OpenSession[]>;
  /** Which ways an account has on a platform at all. */
  configured(platform: Platform, accountId: string): Promise<readonly ConfiguredAccess[]>;
  /** Why the platform refuses a credential of the account's own; null where it refuses none. */
  refusal(platform: Platform, accountId: string): Promise<string | null>;
};

export type ConfiguredAccess = { access: AccessKind; owner: "account" | "deployment" | null };

/**
 * `get` and `getPublic` of the session itself throw `upstream_limited` at once when the limit is used up, with `retryAtMs` (see
 * `UpstreamLimited`): another session may be able to answer now. Those of `patient`, the same session for when none
 * is left, wait for the limit's reset and repeat what was refused, and throw it when that lies beyond the job's deadline.
 */
export type OpenSession = Session & {
  patient: Session;
  /** What its requests were billed so far; null where the platform bills nothing. */
  cost(): SourceCost | null;
};
