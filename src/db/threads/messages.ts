import { EarshotError, type ErrorDetail, errorMessage } from "../../lib/errors.ts";
import { isDiskError } from "../result-codes.ts";

/** `stopFlag`: the index of the flag that is set when the caller gives up. */
export type ThreadCall = { id: number; method: string; args: unknown; stopFlag?: number };

export type ThreadReply =
  | { id: number; ok: true; value: unknown }
  | { id: number; ok: false; error: SerializedError };

type SerializedError = {
  code: string;
  message: string;
  status: number;
  retryable: boolean;
  hint: string | undefined;
  details: readonly ErrorDetail[];
};

/** `currentCall`: id of the running call, in case the thread dies. */
export type ThreadStart = { data: unknown; currentCall: Int32Array; stopFlags: Int32Array };

export const closeMethod = "close";

/** Errors other than `EarshotError` get `disk_error` or `internal`. */
export function serializeError(thrown: unknown): SerializedError {
  if (thrown instanceof EarshotError) {
    const { code, message, status, retryable, hint, details } = thrown;
    return { code, message, status, retryable, hint, details };
  }
  return {
    code: isDiskError(thrown) ? "disk_error" : "internal",
    message: errorMessage(thrown),
    status: 500,
    retryable: false,
    hint: undefined,
    details: [],
  };
}

export function deserializeError(error: SerializedError): EarshotError {
  const { code, message, status, retryable, hint, details } = error;
  return new EarshotError(code, message, {
    status,
    retryable,
    details,
    ...(hint === undefined ? {} : { hint }),
  });
}

export function threadEnded(code: string, reason: string, cause: unknown): EarshotError {
  return new EarshotError(code, `a worker thread ended: ${reason}`, {
    status: 503,
    retryable: true,
    cause,
  });
}
