import type { ProviderName } from "../../../accounts/sign-in/provider.ts";
import type { JobState } from "../../../jobs/job.ts";
import type { Method } from "../../../platforms/methods.ts";
import type { Platform } from "../../../posts/post.ts";
import type { KeyListingResponse } from "./keys.ts";
import type { NodeStatusResponse } from "./status.ts";
import type { UsageTotals } from "./usage.ts";

/** GET …/operator/accounts. All paths under operator/ return 404 unless the caller is an operator. */
export type AccountsResponse = { accounts: readonly AccountListingResponse[]; next: string | null };
export type AccountListingResponse = {
  id: string;
  name: string;
  provider: ProviderName | null;
  role: "member" | "operator";
  created_at: string;
  seen_at: string | null;
  suspended_at: string | null;
  suspended_reason: string | null;
  keys: number;
  searches_24h: number;
  limits: { requests_per_second: number | null; submissions_per_minute: number | null };
};
/**
 * GET /dashboard/api/operator/keys?query=<text>&account=<id>&after=<cursor>,
 * operator/jobs?account=<id>&after=<cursor> and
 * operator/usage?range=<range>&account=<id>&after=<cursor>: newest first.
 */
export type AllKeysResponse = { keys: readonly AnyKeyListing[]; next: string | null };
export type AnyKeyListing = Pick<
  KeyListingResponse,
  "id" | "name" | "shown" | "state" | "created_at" | "expires_at" | "used_at" | "used_from"
> & { account: AccountReference };
export type AccountReference = { id: string; name: string };

export type AllJobsResponse = { jobs: readonly AnyJobListing[]; next: string | null };
/** A job without its query. */
export type AnyJobListing = {
  uuid: string;
  account: AccountReference;
  status: JobState;
  /** Error code of a failed job. */
  code: string | null;
  platform: Platform | "social";
  method: Method;
  node: string | null;
  count: number | null;
  submitted_at: string;
  finished_at: string | null;
};

/** Newest accounts first. */
export type AllUsageResponse = { accounts: readonly AccountUsageListing[]; next: string | null };
export type AccountUsageListing = Omit<UsageTotals, "p50_ms" | "p99_ms"> & {
  account: AccountReference;
};

/** PATCH …/operator/accounts/<id>: null limits mean the deployment's. */
export type AccountChange = {
  role?: "member" | "operator";
  suspended?: boolean;
  suspended_reason?: string;
  requests_per_second?: number | null;
  submissions_per_minute?: number | null;
};

/** GET …/operator/nodes. Approval ends a drain; removal is permanent. */
export type NodesResponse = {
  nodes: readonly NodeListing[];
  events: readonly NodeEventListing[];
};
export type NodeListing = NodeStatusResponse & {
  version: string;
  /** Null if nothing was measured. */
  image: string | null;
  /** The platform instance named in the quote. */
  machine: string | null;
  /** Whether the policy lists it: if so, it needs no approval. */
  is_listed: boolean;
};
export type NodeEventListing = {
  at: string;
  node: string | null;
  action: string;
  detail: string;
};

/** POST …/operator/samples. */
export type SamplesResponse = { imported: number };
