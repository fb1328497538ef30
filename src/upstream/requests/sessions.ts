import type { Session } from "../../platforms/session.ts";
import type { SourceCost } from "../../platforms/source.ts";
import type { AccessKind } from "../../platforms/upstream.ts";
import type { Platform } from "../../posts/post.ts";
import type { UsableRelease } from "../credentials/release.ts";

export type UpstreamJob = {
  uuid: string;
  accountId: string;
  attempt: number;
  /** After this time, the answer is useless. */
  deadlineMs: number;
  /** Until the deadline if omitted. */
  maxWaitMs?: number;
  signal: AbortSignal;
  /** Called before any platform request; absent if the job is already on disk. */
  accepted?: () => Promise<void>;
  released?: UsableRelease;
};

export type Sessions = {
  /**
   * Best first: the account's, the deployment's, then one without a credential if `access` has
   * `public`; `user` before `app`; used-up buckets last.
   */
  open(request: {
    job: UpstreamJob;
    platform: Platform;
    access: readonly AccessKind[];
    ownership: "any" | "own";
    bucket: string | null;
    /** The origin on Mastodon; null for any or, without a credential, the platform's own. */
    host: string | null;
    /** The credential to which a cursor is bound. */
    credentialId?: string | null;
  }): Promise<readonly OpenSession[]>;
  configured(platform: Platform, accountId: string): Promise<readonly ConfiguredAccess[]>;
  refusal(platform: Platform, accountId: string): Promise<string | null>;
};

export type ConfiguredAccess = { access: AccessKind; owner: "account" | "deployment" | null };

/**
 * At a used-up limit, requests throw `upstream_limited` with `retryAtMs` immediately, because
 * another session may be able to answer. Those of `patientSession`, the last resort, wait up to
 * `maxWaitMs`.
 */
export type OpenSession = Session & {
  patientSession: Session;
  cost(): SourceCost | null;
};
