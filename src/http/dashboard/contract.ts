import type { AuditAction } from "../../accounts/audit-actions.ts";
import type { RefusalWord } from "../../accounts/sign-in/refusal.ts";
import type { Method } from "../../platforms/methods.ts";
import type { Platform } from "../../posts/post.ts";

/**
 * What the dashboard and the server say to each other, below /dashboard/api. Types alone, so that the page can share them. All
 * bodies are JSON; times are ISO texts in UTC; a refusal is a problem as everywhere (RFC 9457). The interface is the page's
 * own and may change with it: programs use /v1.
 *
 * A session is a cookie. With it, and without an Authorization header, the page also calls /v1 as its account. Whatever is not
 * GET brings the session's token in `X-Earshot-Csrf`.
 */
export type ProviderName = "github" | "gitlab";

/** GET /dashboard/api/session; also without a session. */
export type SessionAnswer = {
  signed_in: SignedIn | null;
  /** Where one can sign in; GET /auth/<name>?return=<path of the dashboard> begins it. Empty: by a link of the operator alone. */
  providers: readonly { name: ProviderName; label: string }[];
  version: string;
  /** The address that requests in examples go to, without a slash at its end. */
  base_url: string;
  /** How long the live window is. */
  live_window_ms: number;
  /** Evidence that proves nothing about a machine, and that this server takes from nodes all the same. */
  insecure_evidence: readonly InsecureEvidence[];
};
export type InsecureEvidence = "simulated" | "none";

/** /dashboard/sign-in?error=<word>: why a sign-in with a provider did not come to its end. */
export type SignInError = RefusalWord;

export type SignedIn = {
  account: {
    id: string;
    /** What the account is called: its login, else its name. */
    name: string;
    role: "member" | "operator";
    /** Null for accounts that came by a link. */
    provider: ProviderName | null;
    created_at: string;
  };
  csrf: string;
  session_id: string;
  /** Whether the key that is issued by itself has not been shown yet: POST /dashboard/api/keys/first shows it. */
  first_key_due: boolean;
  /** Of the dashboard's own searches, which count beside those of the keys. */
  limits: { requests_per_second: number; submissions_per_minute: number };
};

/** POST /dashboard/api/sign-in: {token}, the part of a sign-in link after #. Answers SessionAnswer, and sets the cookie. */
export type SignInWithLink = { token: string };

/** POST /dashboard/api/sign-out and /dashboard/api/sign-out-everywhere: 204. */

/** GET /dashboard/api/sessions. DELETE /dashboard/api/sessions/<id>: 204. */
export type SessionListing = {
  id: string;
  is_this: boolean;
  way: ProviderName | "link";
  /** Of its User-Agent: such as "Firefox on Linux". */
  agent: string;
  address_group: string;
  created_at: string;
  used_at: string;
  expires_at: string;
};
export type SessionsAnswer = { sessions: readonly SessionListing[] };

/** GET /dashboard/api/keys; also those that ended in the last 30 days, newest first. */
export type KeysAnswer = { keys: readonly KeyListing[]; max_keys: number; limits: KeyLimits };

/** Null: as the account has it, which KeysAnswer's `limits` tell in numbers. */
export type KeyLimits = {
  requests_per_second: number | null;
  submissions_per_minute: number | null;
};

export type KeyListing = KeyLimits & {
  id: string;
  name: string;
  /** What is shown of it: `ear_<id>_…`. */
  shown: string;
  /** `expiring`: it was rotated, and the overlap is not over yet. */
  state: "active" | "expiring" | "expired" | "revoked";
  /** Null: all. */
  methods: readonly Method[] | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** To within a minute. */
  used_at: string | null;
  /** The network that it was last used from, such as 192.0.2.0/24. */
  used_from: string | null;
  /** The key that took its place. */
  successor_id: string | null;
  /** What is left of its rates right now; null for a key that has ended. */
  left: { requests: number; submissions: number } | null;
};

/** POST /dashboard/api/keys, POST /dashboard/api/keys/first (no body; 409 `first_key_shown` the second time). */
export type NewKeyRequest = {
  name: string;
  methods?: readonly Method[] | null;
  requests_per_second?: number | null;
  submissions_per_minute?: number | null;
  /** An ISO time; null or left out: never. */
  expires_at?: string | null;
};
/** The only time that the key is told. */
export type NewKeyAnswer = { key: KeyListing; token: string };

/** PATCH /dashboard/api/keys/<id>: what is left out stays. Answers {key}. */
export type KeyChange = Partial<NewKeyRequest>;

/** POST /dashboard/api/keys/<id>/rotate: a successor of the same name, limits and methods; the old one ends after the overlap. Answers NewKeyAnswer. */
export type RotateKey = { overlap_hours: number };
/** DELETE /dashboard/api/keys/<id>: revoked at once. 204. */

/** GET /dashboard/api/usage?range=24h|7d|30d&key=<id>: of all keys without `key`. */
export type UsageRange = "24h" | "7d" | "30d";
export type UsageAnswer = {
  range: UsageRange;
  from: string;
  to: string;
  bucket_ms: number;
  totals: UsageTotals;
  /** Every bucket of the range, oldest first, those without a call too. */
  buckets: readonly UsageBucket[];
  methods: readonly (UsageTotals & { method: Method })[];
  keys: readonly { id: string; name: string; ended: boolean }[];
};
export type UsageTotals = {
  /** All requests with a key, and how many of them were refused for a rate, or failed (5xx). */
  requests: number;
  refused: number;
  failed: number;
  searches: number;
  searches_failed: number;
  posts: number;
  /** From a search's submission to its end, milliseconds, within a few per cent; null where nothing was searched. */
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

/** GET /dashboard/api/status?range=24h|7d|30d. */
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
    /** Posts that an account state or a label hides for now. */
    hidden: number;
    max_age_ms: number | null;
    /** Null where the disk cannot be asked. */
    free_disk_bytes: number | null;
  };
  nodes: readonly NodeStatus[];
  queue: { waiting: number };
};
export type PlatformStatus = {
  platform: Platform;
  /** `streamed`: a stream feeds the archive. `asked`: it is asked live. `held`: the archive holds posts of it, and nothing feeds it. `off`: neither. */
  way: "streamed" | "asked" | "held" | "off";
  stream: {
    status: "off" | "waiting" | "connected" | "paused";
    detail: string;
    host: string | null;
    lag_ms: number | null;
    posts_per_second: number | null;
  } | null;
  posts: number;
  /** Of the range, for all accounts; what is not held at all before the first interval is no gap. */
  coverage: {
    held: readonly { from: string; to: string; source: string }[];
    gaps: readonly { from: string; to: string }[];
    complete_since: string | null;
  };
  /** Posts held, by their time, in 144 equal parts of the range, oldest first; null while they are being counted. */
  heard: readonly number[] | null;
  /** The most that the stream was behind, in each five minutes, half hour or two hours of the range; empty where no stream tells. */
  lag: readonly { at: string; lag_ms: number }[];
};
export type NodeStatus = {
  /** As jobs name it; `embedded` is the one in the server's own process. */
  id: string;
  name: string;
  evidence: "tdx" | InsecureEvidence;
  /** One sentence each. */
  proves: string;
  does_not_prove: string;
  /** `pending` waits for an operator; that one, `draining` and `quarantined` get no work. */
  state: "approved" | "pending" | "draining" | "quarantined";
  /** Whether it is attested and was heard of lately. */
  is_connected: boolean;
  /** Whether it runs only what no other node can. */
  is_spare: boolean;
  platforms: readonly Platform[];
  /** Jobs that it runs, of so many that it can run at a time. */
  running: number;
  concurrency: number;
  /** Null for the node in the server's own process, and while it is not connected. */
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
  /** Whom it acts for; null for tokens of an app. */
  subject: string | null;
  hint: string;
  created_at: string;
  used_at: string | null;
  state: "ready" | "cooling" | "quarantined";
  /** Why it is not used, and until when. */
  reason: string | null;
  until: string | null;
};
export type CredentialKindListing = {
  platform: Platform;
  kind: string;
  title: string;
  /** What it is good for, one sentence. */
  purpose: string;
  fields: readonly CredentialFieldListing[];
  /** How it is got in the browser; null where the fields are all there is. */
  authorization: { fields: readonly CredentialFieldListing[] } | null;
};
export type CredentialFieldListing = {
  name: string;
  label: string;
  is_secret: boolean;
  is_optional: boolean;
  hint: string | null;
};
/** POST /dashboard/api/credentials: asks the platform whether they are good, then keeps them. Answers {credential}. */
export type NewCredentialRequest = {
  platform: Platform;
  kind: string;
  fields: Readonly<Record<string, string>>;
};
/**
 * POST /dashboard/api/credentials/authorizations (NewCredentialAsked with the fields of `authorization`), then
 * POST /dashboard/api/credentials/authorizations/<id> {answer} as often as there is a question.
 */
export type AuthorizationStep =
  | { state: "question"; id: string; texts: readonly string[]; question: string }
  | { state: "done"; credential: CredentialListing };
/** POST /dashboard/api/credentials/<id>/test: {works, message, credential}. DELETE /dashboard/api/credentials/<id>: 204. */
export type CredentialTest = { works: boolean; message: string; credential: CredentialListing };

/** GET /dashboard/api/account/export: NDJSON, an attachment. */
/** DELETE /dashboard/api/account: 204, and the session ends. */
export type DeleteAccount = { confirm: string };

/** GET /dashboard/api/operator/accounts?after=<cursor>&query=<text>; for operators, 404 for others, as all of operator/. */
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
/** PATCH /dashboard/api/operator/accounts/<id>: what is left out stays; null limits are the deployment's. Answers {account}. */
export type AccountChange = {
  role?: "member" | "operator";
  suspended?: boolean;
  suspended_reason?: string;
  requests_per_second?: number | null;
  submissions_per_minute?: number | null;
};
/** DELETE /dashboard/api/operator/accounts/<id> {confirm}: 204. */

/**
 * GET /dashboard/api/operator/nodes: the nodes of other processes, but for removed ones, and what happened lately, newest first.
 * POST /dashboard/api/operator/nodes/<id>/approve, …/drain and …/remove, without a body, answer the same as it is then.
 * A node that drains works again once it is approved; one that is removed is refused for good.
 */
export type NodesAnswer = {
  nodes: readonly NodeListing[];
  events: readonly NodeEventListing[];
};
export type NodeListing = NodeStatus & {
  version: string;
  /** Where it listens for searches; null where it does not. */
  url: string | null;
  /** What the policy calls the image that it runs; null where nothing was measured. */
  image: string | null;
  /** The platform instance that its quote names. */
  machine: string | null;
  /** Whether the policy names that machine: it works without anybody's approval. */
  is_listed: boolean;
};
export type NodeEventListing = {
  at: string;
  /** Null where nothing says which node it was. */
  node: string | null;
  action: string;
  detail: string;
};

/** GET /dashboard/api/operator/audit?before=<sequence>: newest first. GET /dashboard/api/account/audit: of one's own account. */
export type AuditAnswer = { entries: readonly AuditEntry[]; next: number | null };
export type AuditEntry = {
  sequence: number;
  at: string;
  action: AuditAction;
  /** The name as it is now; "a deleted account", "the command line", "the server". */
  actor: string;
  subject: string | null;
  key: string | null;
  detail: Readonly<Record<string, string | number | boolean | null>>;
};
