/** One positioned or pointed-at fault inside a request. Offsets and lengths count Unicode code points. */
export type ErrorDetail = {
  code: string;
  message: string;
  hint?: string;
  pointer?: string;
  offset?: number;
  length?: number;
  expected?: readonly string[];
};

export type EarshotErrorOptions = {
  /** HTTP status that says the same thing. */
  status?: number;
  /** Whether the same call can succeed later without being changed. */
  retryable?: boolean;
  /** What to do about it, one sentence. */
  hint?: string;
  details?: readonly ErrorDetail[];
  cause?: unknown;
};

/**
 * Every fault that Earshot itself raises: a stable machine `code`, the HTTP `status` that carries it, whether a retry can
 * help, and a hint that tells how to fix it. The message is one line and safe to show to the caller.
 */
export class EarshotError extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  readonly details: readonly ErrorDetail[];

  constructor(code: string, message: string, options: EarshotErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "EarshotError";
    this.code = code;
    this.status = options.status ?? 500;
    this.retryable = options.retryable ?? false;
    this.hint = options.hint;
    this.details = options.details ?? [];
  }
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
