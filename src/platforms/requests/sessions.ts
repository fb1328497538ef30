import type { Platform } from "../../posts/post.ts";
import type { Session } from "../session.ts";
import type { SourceCost } from "../source.ts";
import type { AccessKind } from "../upstream.ts";

/** The job that asks. `attempt` counts from 1. */
export type AskingJob = {
  uuid: string;
  accountId: string;
  attempt: number;
  /** Until when an answer is of use, Unix milliseconds. */
  deadlineMs: number;
  signal: AbortSignal;
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
    host: string | null;
    /** This credential alone; a cursor's. */
    credentialId?: string | null;
  }): Promise<readonly OpenSession[]>;
  /** Which ways an account has on a platform at all. */
  configured(platform: Platform, accountId: string): Promise<readonly ConfiguredAccess[]>;
};

export type ConfiguredAccess = { access: AccessKind; owner: "account" | "deployment" | null };

export type OpenSession = Session & {
  /** What its requests were billed so far; null where the platform bills nothing. */
  cost(): SourceCost | null;
};
