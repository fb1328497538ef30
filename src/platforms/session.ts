import type { Headers } from "undici";
import type { Platform } from "../posts/post.ts";
import type { AccessKind } from "./upstream.ts";

/**
 * One way to ask a platform: one credential, or none. Its requests keep the limits that the platform tells, wait for their
 * turn where that fits into the job's time, are repeated where that can help, and are billed.
 */
export type Session = {
  platform: Platform;
  access: AccessKind;
  /** Whose credential it is; null for none. */
  owner: "account" | "deployment" | null;
  credentialId: string | null;
  /** Whom the credential acts for: a DID, an account id on its server, an X user id; null for nobody or unknown. */
  subjectId: string | null;
  /** Where a path leads: the account's PDS, the instance, the API. */
  baseUrl: string;
  /** When the question was submitted; nothing looks at the clock elsewhere. */
  nowMs: number;
  /**
   * Sends one GET. Resolves with any answer of status 2xx, or of a 4xx but 401, 408 and 429: what the platform refuses is its
   * own to tell. Errors: `upstream_limited` when the limit is used up for longer than the job has, `credential_refused`
   * (401 also after a renewed session), `upstream_timeout`, `upstream_unreachable`, `upstream_failed` (5xx after all tries),
   * `answer_unreadable`, `answer_too_large`, `budget_used_up`, or the reason of the job's signal.
   */
  get(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /** The same without the credential and at another host, through the same guard; for what is public. */
  getPublic(url: URL, request: Omit<UpstreamRequest, "path">): Promise<UpstreamAnswer>;
};

export type UpstreamRequest = {
  /** Begins with `/`. */
  path: string;
  /** Parameters; those that are undefined are left out, a list comes again and again. */
  query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  headers?: Readonly<Record<string, string>>;
  /** Requests of one bucket share a limit of the platform, such as an endpoint on X. */
  bucket: string;
  /** The most that the answer may be billed for; told exactly by `settle`, else counted in full. */
  bill?: Bill;
};

/** What an answer costs, in the platform's own units. */
export type Bill = { postReads?: number; userReads?: number; requests?: number };

export type UpstreamAnswer = {
  status: number;
  headers: Headers;
  /** When it had arrived, Unix milliseconds; absent where it is not known to be later than `nowMs` of the session. */
  receivedMs?: number;
  /** The parsed body; null where there is none. */
  json: unknown;
  /** What was billed in fact. */
  settle(bill: Bill): void;
};
