import type { AuditAction } from "../../accounts/audit-actions.ts";
import type { RefusalWord } from "../../accounts/sign-in/refusal.ts";
import type { JobState } from "../../jobs/job.ts";
import type { Method } from "../../platforms/methods.ts";
import type { Platform } from "../../posts/post.ts";

/**
 * The private JSON contract of server and page; programs use /v1. Times are ISO 8601 in UTC, errors problems (RFC 9457).
 * Requests other than GET carry the session's token in `X-Earshot-Csrf`.
 */
export type ProviderName = "github" | "gitlab";

/** GET /dashboard/api/session. */
export type SessionAnswer = {
  signed_in: SignedIn | null;
  /** Empty: only an operator's link signs in. */
  providers: readonly { name: ProviderName; label: string }[];
  version: string;
  base_url: string;
  live_window_ms: number;
  insecure_evidence: readonly InsecureEvidence[];
};
export type InsecureEvidence = "simulated" | "none";

/** /dashboard/sign-in?error=<word>. */
export type SignInError = RefusalWord;

export type SignedIn = {
  account: {
    id: string;
    name: string;
    role: "member" | "operator";
    /** Null: created by a sign-in link. */
    provider: ProviderName | null;
    created_at: string;
  };
  csrf: string;
  session_id: string;
  /** The automatically issued key has not been shown. */
  first_key_due: boolean;
  limits: { requests_per_second: number; submissions_per_minute: number };
};

/** POST /dashboard/api/sign-in: the fragment of a sign-in link. */
export type SignInWithLink = { token: string };

/** GET /dashboard/api/sessions. */
export type SessionListing = {
  id: string;
  is_this: boolean;
  way: ProviderName | "link";
  /** Such as "Firefox on Linux". */
  agent: string;
  address_group: string;
  created_at: string;
  used_at: string;
  expires_at: string;
};
export type SessionsAnswer = { sessions: readonly SessionListing[] };

/** GET /dashboard/api/apps. */
export type AppListing = {
  id: string;
  name: string;
  /** Of the client's metadata document. */
  host: string;
  methods: readonly Method[];
  created_at: string;
  used_at: string | null;
  used_from: string | null;
  /** If the app does not refresh its tokens until then. */
  expires_at: string;
};
export type AppsAnswer = { apps: readonly AppListing[] };

/** POST /dashboard/api/authorizations {query}: what an app requests. */
export type AuthorizationAnswer = {
  client_name: string;
  client_host: string;
  redirect_host: string;
  is_loopback: boolean;
} & (
  | { kind: "consent"; ticket: string; methods: readonly Method[] }
  /** `location` returns the error to the app. */
  | { kind: "refused"; reason: string; location: string }
);

/** POST /dashboard/api/authorizations/decision. No methods deny. */
export type DecisionAnswer = { location: string };

/** GET /dashboard/api/keys, with those that ended in the last 30 days. */
export type KeysAnswer = { keys: readonly KeyListing[]; max_keys: number; limits: KeyLimits };

/** Null: the account's. */
export type KeyLimits = {
  requests_per_second: number | null;
  submissions_per_minute: number | null;
};

export type KeyListing = KeyLimits & {
  id: string;
  name: string;
  /** Visible part: `ear_<id>_…`. */
  shown: string;
  /** `expiring`: rotated, within the overlap. */
  state: "active" | "expiring" | "expired" | "revoked";
  methods: readonly Method[] | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** Accurate to a minute. */
  used_at: string | null;
  /** Such as 192.0.2.0/24. */
  used_from: string | null;
  successor_id: string | null;
  left: { requests: number; submissions: number } | null;
};

/** POST /dashboard/api/keys, and …/keys/first (no body; 409 `first_key_shown` the second time). */
export type NewKeyRequest = {
  name: string;
  methods?: readonly Method[] | null;
  requests_per_second?: number | null;
  submissions_per_minute?: number | null;
  /** Null or absent: never. */
  expires_at?: string | null;
};
/** The only answer with the token. */
export type NewKeyAnswer = { key: KeyListing; token: string };

/** PATCH /dashboard/api/keys/<id>: absent members stay unchanged. */
export type KeyChange = Partial<NewKeyRequest>;

/** POST /dashboard/api/keys/<id>/rotate: the old key ends after the overlap. */
export type RotateKey = { overlap_hours: number };

/** GET /dashboard/api/keys/<id>/requests. */
export type KeyRequestsAnswer = { requests: readonly KeyRequestListing[] };
export type KeyRequestListing = {
  /** The header X-Request-Id. */
  id: string;
  at: string;
  method: string;
  /** A template, such as /v1/search/live/:platform/status/:uuid. */
  route: string;
  status: number;
  code: string | null;
  duration_ms: number;
};

/** GET /dashboard/api/usage. */
export type UsageRange = "24h" | "7d" | "30d";
export type UsageAnswer = {
  range: UsageRange;
  from: string;
  to: string;
  bucket_ms: number;
  totals: UsageTotals;
  /** Oldest first, including empty ones. */
  buckets: readonly UsageBucket[];
  methods: readonly (UsageTotals & { method: Method })[];
  keys: readonly { id: string; name: string; ended: boolean }[];
};
export type UsageTotals = {
  /** `refused` by a rate limit, `failed` with 5xx. */
  requests: number;
  refused: number;
  failed: number;
  searches: number;
  searches_failed: number;
  posts: number;
  /** Null without searches. */
  p50_ms: number | null;
  p99_ms: number | null;
};
export type UsageBucket = {
  start: string;
  requests: number;
  refused: number;
  failed: number;
  searches: number;
  p50_ms: number | null;
  p99_ms: number | null;
};

/** GET /dashboard/api/status. */
export type StatusAnswer = {
  range: UsageRange;
  from: string;
  to: string;
  platforms: readonly PlatformStatus[];
  archive: {
    posts: number;
    segments: number;
    bytes: number;
    max_bytes: number;
    oldest_at: string | null;
    newest_at: string | null;
    /** By an account state or a label. */
    hidden: number;
    max_age_ms: number | null;
    free_disk_bytes: number | null;
  };
  nodes: readonly NodeStatus[];
  queue: { waiting: number };
};
export type PlatformStatus = {
  platform: Platform;
  /**
   * `streamed`: a stream feeds the archive. `live`: searched live. `archived`: archived posts exist, but no source adds any.
   * `off`: none of these.
   */
  way: "streamed" | "live" | "archived" | "off";
  stream: {
    status: "off" | "waiting" | "connected" | "paused";
    detail: string;
    host: string | null;
    lag_ms: number | null;
    posts_per_second: number | null;
  } | null;
  posts: number;
  /** Within the range. Time before the first interval is not a gap. */
  coverage: {
    held: readonly { from: string; to: string; source: string }[];
    gaps: readonly { from: string; to: string }[];
    complete_since: string | null;
  };
  /** Posts in 144 equal parts of the range, oldest first; null while counting. */
  heard: readonly number[] | null;
  /** Maximum per part of the range; empty if no stream reports it. */
  lag: readonly { at: string; lag_ms: number }[];
};
export type NodeStatus = {
  id: string;
  name: string;
  evidence: "tdx" | InsecureEvidence;
  proves: string;
  does_not_prove: string;
  /** Only `approved` nodes get work; `pending` ones wait for an operator. */
  state: "approved" | "pending" | "draining" | "quarantined";
  is_connected: boolean;
  /** Runs only what no other node can. */
  is_spare: boolean;
  platforms: readonly Platform[];
  running: number;
  concurrency: number;
  connected_at: string | null;
  attested_at: string | null;
  seen_at: string | null;
  quarantine: { reason: string; until: string | null } | null;
  jobs: number;
  jobs_failed: number;
};

/** GET /dashboard/api/credentials. */
export type CredentialsAnswer = {
  credentials: readonly CredentialListing[];
  kinds: readonly CredentialKindListing[];
};
export type CredentialListing = {
  id: string;
  platform: Platform;
  kind: string;
  host: string;
  /** Null for app tokens. */
  subject: string | null;
  hint: string;
  created_at: string;
  used_at: string | null;
  state: "ready" | "cooling" | "quarantined";
  reason: string | null;
  until: string | null;
};
export type CredentialKindListing = {
  platform: Platform;
  kind: string;
  title: string;
  purpose: string;
  fields: readonly CredentialFieldListing[];
  /** Null if `fields` suffices. */
  authorization: { fields: readonly CredentialFieldListing[] } | null;
};
export type CredentialFieldListing = {
  name: string;
  label: string;
  is_secret: boolean;
  is_optional: boolean;
  hint: string | null;
};
/** POST /dashboard/api/credentials: verifies them with the platform, then stores them. */
export type NewCredentialRequest = {
  platform: Platform;
  kind: string;
  fields: Readonly<Record<string, string>>;
};
/** POST …/credentials/authorizations, then …/authorizations/<id> {answer} for each question. */
export type AuthorizationStep =
  | { state: "question"; id: string; texts: readonly string[]; question: string }
  | { state: "done"; credential: CredentialListing };
/** POST /dashboard/api/credentials/<id>/test. */
export type CredentialTest = { works: boolean; message: string; credential: CredentialListing };

/** GET /dashboard/api/spending: on X in this month (UTC), including running calls. */
export type SpendingAnswer = {
  /** Such as 2026-11. */
  month: string;
  /** With the account's own credentials, which X bills to their owner; null without one. */
  own: { post_reads: number; user_reads: number; usd: number } | null;
  /** With the deployment's credentials, by all accounts; null without one. */
  shared: { post_reads: number; most_post_reads: number } | null;
};

/** GET /dashboard/api/account/export: NDJSON, an attachment. */
/** DELETE /dashboard/api/account: 204, and the session ends. */
export type DeleteAccount = { confirm: string };

/** GET …/operator/accounts. All of operator/ is 404 unless an operator calls. */
export type AccountsAnswer = { accounts: readonly AccountListing[]; next: string | null };
export type AccountListing = {
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
 * GET /dashboard/api/operator/keys?query=<text>&account=<id>&after=<cursor>: of one or all accounts, newest first; so are
 * operator/jobs?account=<id>&after=<cursor> and operator/usage?range=<range>&account=<id>&after=<cursor>.
 */
export type AllKeysAnswer = { keys: readonly AnyKeyListing[]; next: string | null };
export type AnyKeyListing = Pick<
  KeyListing,
  "id" | "name" | "shown" | "state" | "created_at" | "expires_at" | "used_at" | "used_from"
> & { account: NamedAccount };
export type NamedAccount = { id: string; name: string };

export type AllJobsAnswer = { jobs: readonly AnyJobListing[]; next: string | null };
/** Without its query. */
export type AnyJobListing = {
  uuid: string;
  account: NamedAccount;
  status: JobState;
  /** Of an error. */
  code: string | null;
  platform: Platform | "social";
  method: Method;
  node: string | null;
  /** Of results. */
  count: number | null;
  submitted_at: string;
  finished_at: string | null;
};

/** The newest accounts first. */
export type AllUsageAnswer = { accounts: readonly AccountUsageListing[]; next: string | null };
export type AccountUsageListing = Omit<UsageTotals, "p50_ms" | "p99_ms"> & {
  account: NamedAccount;
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
export type NodesAnswer = {
  nodes: readonly NodeListing[];
  events: readonly NodeEventListing[];
};
export type NodeListing = NodeStatus & {
  version: string;
  /** Null if nothing was measured. */
  image: string | null;
  /** Platform instance of its quote. */
  machine: string | null;
  /** In the policy: works without approval. */
  is_listed: boolean;
};
export type NodeEventListing = {
  at: string;
  node: string | null;
  action: string;
  detail: string;
};

/** POST …/operator/samples. */
export type SamplesAnswer = { imported: number };

/**
 * GET /dashboard/api/operator/audit?account=<id>&action=<action>&actor=<account id, command_line or service>&from=<time>
 * &to=<time>&before=<sequence>: newest first. GET /dashboard/api/account/audit: the caller's own
 * account.
 */
export type AuditAnswer = { entries: readonly AuditEntry[]; next: number | null };
export type AuditEntry = {
  sequence: number;
  at: string;
  action: AuditAction;
  /** Current name, or "a deleted account", "the command line", "the server". */
  actor: string;
  subject: string | null;
  key: string | null;
  detail: Readonly<Record<string, string | number | boolean | null>>;
};
