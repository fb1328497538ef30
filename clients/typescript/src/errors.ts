import type { Problem } from "./types.ts";

/** An error response. `code` is stable and documented at `type`. */
export class EarshotError extends Error {
  override readonly name = "EarshotError";
  readonly code: string;
  readonly status: number;
  readonly hint: string | null;
  readonly retryable: boolean;
  readonly requestId: string | null;
  /** The errors in arguments and queries. */
  readonly errors: readonly NonNullable<Problem["errors"]>[number][];
  /** The job that failed; null if none was submitted. */
  readonly uuid: string | null;

  constructor(status: number, problem: Partial<Problem>) {
    const { title = "Request failed", detail, hint } = problem;
    super([detail ?? `${title} (status ${status})`, hint].filter(Boolean).join(". "));
    this.status = status;
    this.code = problem.code ?? "unknown";
    this.hint = hint ?? null;
    this.retryable = problem.retryable ?? false;
    this.requestId = problem.request_id ?? null;
    this.errors = problem.errors ?? [];
    this.uuid = problem.uuid || null;
  }
}

/** The service was unreachable, or the connection broke. */
export class EarshotConnectionError extends Error {
  override readonly name = "EarshotConnectionError";
}
