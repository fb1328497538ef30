/**
 * The private JSON contract between the server and the dashboard; programs use /v1. Times are ISO
 * 8601 in UTC, and errors are problems (RFC 9457). Requests other than GET carry the session's
 * token in `X-Earshot-Csrf`.
 */
import type { ProviderName } from "../../../accounts/sign-in/provider.ts";
import type { RefusalCode } from "../../../accounts/sign-in/refusal.ts";

/** GET /dashboard/api/session. */
export type SessionResponse = {
  signed_in: SignedInState | null;
  /** If empty, only an operator's link signs in. */
  providers: readonly { name: ProviderName; label: string }[];
  version: string;
  base_url: string;
  live_window_ms: number;
  insecure_evidence: readonly InsecureEvidence[];
};
export type InsecureEvidence = "simulated" | "none";

/** The `error` parameter of /dashboard/sign-in. */
export type SignInError = RefusalCode;

export type SignedInState = {
  account: {
    id: string;
    name: string;
    role: "member" | "operator";
    /** Null if created by a sign-in link. */
    provider: ProviderName | null;
    created_at: string;
  };
  csrf: string;
  session_id: string;
  /** Whether the automatically issued key has yet to be shown. */
  first_key_due: boolean;
  limits: { requests_per_second: number; submissions_per_minute: number };
};

/** POST /dashboard/api/sign-in: the fragment of a sign-in link. */
export type LinkSignInRequest = { token: string };
