/**
 * Every problem that the API answers with: its HTTP status, its title, and whether the same request can succeed later
 * unchanged. Each has a page in docs/errors, to which the `type` of the problem leads.
 */
export const problems = {
  invalid_json: { status: 400, title: "The body is not JSON", retryable: false },
  invalid_request: { status: 400, title: "The request is not valid", retryable: false },
  invalid_query: { status: 400, title: "The query cannot be read", retryable: false },
  method_not_supported: {
    status: 400,
    title: "The type does not support the method",
    retryable: false,
  },
  platform_mismatch: {
    status: 400,
    title: "Path and body name different platforms",
    retryable: false,
  },
  cursor_invalid: { status: 400, title: "The cursor cannot be read", retryable: false },
  cursor_mismatch: { status: 400, title: "The cursor belongs to another search", retryable: false },
  webhook_url_refused: {
    status: 400,
    title: "The webhook's address is not called",
    retryable: false,
  },
  unauthorized: { status: 401, title: "A valid API key is needed", retryable: false },
  session_needed: { status: 401, title: "Signing in is needed", retryable: false },
  node_unauthorized: {
    status: 401,
    title: "The request of a node is not signed",
    retryable: false,
  },
  sign_in_link_invalid: { status: 401, title: "The sign-in link is not valid", retryable: false },
  forbidden_origin: {
    status: 403,
    title: "The request does not come from the dashboard",
    retryable: false,
  },
  account_suspended: { status: 403, title: "The account is suspended", retryable: false },
  node_refused: { status: 403, title: "The node is not admitted", retryable: false },
  method_forbidden: { status: 403, title: "The key may not use the method", retryable: false },
  not_found: { status: 404, title: "There is nothing here", retryable: false },
  job_not_found: { status: 404, title: "There is no such job", retryable: false },
  proof_not_found: { status: 404, title: "There is no proof of the result", retryable: false },
  attestation_not_found: { status: 404, title: "There is no such attestation", retryable: false },
  credential_not_found: { status: 404, title: "There is no such credential", retryable: false },
  authorization_not_found: {
    status: 404,
    title: "The attempt to connect has ended",
    retryable: false,
  },
  node_not_found: { status: 404, title: "There is no such node", retryable: false },
  account_not_found: { status: 404, title: "There is no such account", retryable: false },
  session_not_found: { status: 404, title: "There is no such session", retryable: false },
  key_not_found: { status: 404, title: "There is no such key", retryable: false },
  webhook_not_found: { status: 404, title: "There is no such webhook", retryable: false },
  delivery_not_found: { status: 404, title: "There is no such delivery", retryable: false },
  method_not_allowed: { status: 405, title: "The path has no such method", retryable: false },
  not_acceptable: { status: 406, title: "No such form of the answer", retryable: false },
  request_timeout: { status: 408, title: "The request took too long to arrive", retryable: true },
  too_many_credentials: {
    status: 409,
    title: "The account has all of its credentials",
    retryable: false,
  },
  lease_lost: { status: 409, title: "The lease is lost", retryable: false },
  node_not_approved: { status: 409, title: "The node waits for approval", retryable: false },
  node_removed: { status: 409, title: "The node was removed", retryable: false },
  last_operator: { status: 409, title: "The account is the last operator", retryable: false },
  first_key_shown: { status: 409, title: "The first key was shown already", retryable: false },
  key_ended: { status: 409, title: "The key has ended or was rotated", retryable: false },
  too_many_keys: { status: 409, title: "The account gets no more keys", retryable: false },
  too_many_webhooks: {
    status: 409,
    title: "The account has all of its webhooks",
    retryable: false,
  },
  webhook_disabled: { status: 409, title: "The webhook is disabled", retryable: false },
  job_cancelled: { status: 410, title: "The job was cancelled", retryable: false },
  proof_withdrawn: {
    status: 410,
    title: "The proof repeats what was withdrawn",
    retryable: false,
  },
  result_expired: { status: 410, title: "The result is gone", retryable: false },
  body_too_large: { status: 413, title: "The body is too large", retryable: false },
  unsupported_media_type: { status: 415, title: "The body is not plain JSON", retryable: false },
  source_unavailable: {
    status: 422,
    title: "Nothing configured can answer the method",
    retryable: false,
  },
  idempotency_mismatch: {
    status: 422,
    title: "The Idempotency-Key belongs to another search",
    retryable: false,
  },
  node_answer_refused: { status: 422, title: "The answer of the node is wrong", retryable: false },
  credential_invalid: {
    status: 422,
    title: "The platform cannot be connected with this",
    retryable: false,
  },
  rate_limited: { status: 429, title: "The key's rate is used up", retryable: true },
  too_many_attempts: {
    status: 429,
    title: "Too many attempts",
    retryable: true,
  },
  too_many_failed_keys: {
    status: 429,
    title: "Too many requests with a wrong key",
    retryable: true,
  },
  too_many_sign_ins: {
    status: 429,
    title: "Too many sign-ins from one address",
    retryable: true,
  },
  header_too_large: { status: 431, title: "The header is too large", retryable: false },
  internal: { status: 500, title: "A fault in Earshot", retryable: false },
  job_failed: { status: 500, title: "The job failed", retryable: false },
  upstream_failed: { status: 502, title: "An upstream source failed", retryable: true },
  overloaded: { status: 503, title: "Too many jobs are waiting", retryable: true },
  unavailable: { status: 503, title: "Not able to answer for the moment", retryable: true },
  deadline_exceeded: { status: 504, title: "The time of the job ran out", retryable: true },
} as const satisfies Record<string, { status: number; title: string; retryable: boolean }>;

export type ProblemCode = keyof typeof problems;

/** What to do about problems of which that is always the same, where nothing nearer is known. */
export const usualHints: Partial<Record<ProblemCode, string>> = {
  job_not_found:
    "take the uuid of the submission's answer, with a key of the same account; jobs are kept for some days only",
  account_not_found: "the page Operator lists all accounts",
  session_not_found: "the page Account lists the sessions of the account",
  key_not_found: "the page Keys lists the keys of the account",
  webhook_not_found: "GET /v1/webhooks lists the webhooks of the account",
  credential_not_found: "the page Credentials lists those of the account",
  attestation_not_found:
    "the proof of a result holds the attestation of its node; an attestation is kept some days longer than the results",
  node_unauthorized: "attest again: POST /internal/nodes/challenge, then /internal/nodes/register",
  lease_lost: "stop the work on this job, and drop what it has found",
  job_cancelled: "submit the search again if its result is wanted after all",
  internal: "report it with request_id, which names it in the log",
  job_failed: "submit the search again; if it fails again, report its uuid",
  upstream_failed: "submit the search again later",
  unavailable: "send the same request again after Retry-After",
};

/** The `type` of a problem: the path of its page. */
export function problemType(code: ProblemCode): string {
  return `/docs/errors/${code}`;
}

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}
