import type { Headers } from "undici";
import type { Platform } from "../posts/post.ts";
import type { AccessKind } from "./upstream.ts";

/** Respects rate limits and the deadline, retries where useful, and bills. */
export type Session = {
  platform: Platform;
  access: AccessKind;
  owner: "account" | "deployment" | null;
  credentialId: string | null;
  /** DID, account id or X user id. */
  subjectId: string | null;
  baseUrl: string;
  /** When the request was submitted; adapters do not read the clock. */
  nowMs: number;
  /**
   * Returns 2xx, and 4xx except 401, 408 and 429. Errors: `upstream_limited`, `credential_refused`
   * (401, also with a renewed session), `upstream_timeout`, `upstream_unreachable`,
   * `upstream_refused` (redirects), `upstream_failed` (408 or 5xx), `answer_unreadable`,
   * `answer_too_large`, `budget_used_up`.
   */
  get(request: UpstreamRequest): Promise<UpstreamResponse>;
  /** Requests any host through the same guard, without the credential. */
  getPublic(url: URL, request: Omit<UpstreamRequest, "path">): Promise<UpstreamResponse>;
};

export type UpstreamRequest = {
  /** Starts with `/`. */
  path: string;
  /** A list repeats its parameter. */
  query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  headers?: Readonly<Record<string, string>>;
  /** Requests of one bucket share a rate limit. */
  bucket: string;
  /** The maximum bill; counts in full unless `settle` is called. */
  bill?: Bill;
};

/** Amounts in the platform's units. */
export type Bill = { postReads?: number; userReads?: number; requests?: number };

export type UpstreamResponse = {
  status: number;
  headers: Headers;
  /** Defaults to the session's `nowMs`. */
  receivedMs?: number;
  json: unknown;
  settle(bill: Bill): void;
};
