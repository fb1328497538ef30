/** Offsets and lengths count Unicode code points. */
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
  status?: number;
  retryable?: boolean;
  hint?: string;
  details?: readonly ErrorDetail[];
  cause?: unknown;
};

/** `code` is stable; the message is one line and safe to show to the caller. */
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

export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
