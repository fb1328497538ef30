import type { SessionResponse } from "../../src/http/dashboard/contract/session.ts";
import type { ErrorDetail } from "../../src/lib/errors.ts";

/** An error response (RFC 9457), or `unreachable` without a response. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly code: string;
  readonly status: number;
  readonly hint: string | null;
  readonly retryAfterMs: number | null;
  readonly details: readonly ErrorDetail[];

  constructor(problem: {
    code: string;
    status: number;
    message: string;
    hint?: string | null;
    retryAfterMs?: number | null;
    details?: readonly ErrorDetail[];
  }) {
    super(problem.message);
    this.code = problem.code;
    this.status = problem.status;
    this.hint = problem.hint ?? null;
    this.retryAfterMs = problem.retryAfterMs ?? null;
    this.details = problem.details ?? [];
  }
}

/** From the latest /v1 response. */
export type RemainingRates = {
  requests: number | null;
  searches: number | null;
  searchResetInMs: number;
};

let csrf: string | null = null;
const listeners = { signedOut: new Set<() => void>() };

export function storeCsrfToken(session: SessionResponse | undefined): void {
  csrf = session?.signed_in?.csrf ?? null;
}

export function onSignedOut(listener: () => void): () => void {
  listeners.signedOut.add(listener);
  return () => listeners.signedOut.delete(listener);
}

/** Errors: `ApiProblem`; the reason of `signal`. */
export async function request(
  path: string,
  { method = "GET", body, headers = {}, signal }: RequestOptions = {},
): Promise<Response> {
  const response = await fetch(path, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(method === "GET" || csrf === null ? {} : { "x-earshot-csrf": csrf }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    credentials: "same-origin",
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiProblem({
      code: "unreachable",
      status: 0,
      message: "Earshot is not responding",
      hint: "Check that it is running and that you are online, then try again.",
    });
  });
  if (response.ok) return response;
  const problem = await readProblem(response);
  if (problem.code === "session_needed") for (const listener of listeners.signedOut) listener();
  throw problem;
}

export type RequestOptions = {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
};

async function requestJson<Value>(path: string, options?: RequestOptions): Promise<Value> {
  const response = await request(path, options);
  // The contract defines the type for each path; 204 has no body.
  return (response.status === 204 ? undefined : await response.json()) as Value;
}

/** JSON in, JSON out. Errors: ApiProblem. */
export const api = {
  get: <Value>(path: string, signal?: AbortSignal) =>
    requestJson<Value>(path, signal === undefined ? {} : { signal }),
  post: <Value>(path: string, body?: unknown) =>
    requestJson<Value>(path, { method: "POST", ...(body === undefined ? {} : { body }) }),
  patch: <Value>(path: string, body: unknown) =>
    requestJson<Value>(path, { method: "PATCH", body }),
  delete: (path: string, body?: unknown) =>
    requestJson<undefined>(path, { method: "DELETE", ...(body === undefined ? {} : { body }) }),
};

/** Parses draft-ietf-httpapi-ratelimit-headers. */
export function remainingRates(response: Response): RemainingRates {
  const field = response.headers.get("ratelimit") ?? "";
  const item = (name: string) =>
    field.split(",").find((part) => part.trim().startsWith(`"${name}"`));
  const parameter = (name: string, code: string) => {
    const value = new RegExp(`;${code}=(\\d+)`).exec(item(name) ?? "")?.[1];
    return value === undefined ? null : Number(value);
  };
  return {
    requests: parameter("burst", "r"),
    searches: parameter("search", "r"),
    searchResetInMs: (parameter("search", "t") ?? 0) * 1000,
  };
}

type ProblemBody = {
  code?: string;
  detail?: string;
  title?: string;
  hint?: string;
  errors?: readonly ErrorDetail[];
};

async function readProblem(response: Response): Promise<ApiProblem> {
  const body = await response.json().catch((): ProblemBody => ({}));
  const problem = body as ProblemBody;
  const seconds = Number(response.headers.get("retry-after") ?? "");
  return new ApiProblem({
    code: problem.code ?? "unexpected",
    status: response.status,
    message:
      problem.detail ?? problem.title ?? `the server responded with status ${response.status}`,
    hint: problem.hint ?? null,
    retryAfterMs: seconds > 0 ? seconds * 1000 : null,
    details: problem.errors ?? [],
  });
}
