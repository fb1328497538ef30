import { EarshotError } from "../../lib/errors.ts";

/** Adds a detail with this pointer to errors of `read` that have none. */
export function withPointer<Value>(pointer: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof EarshotError) || error.details.length > 0) throw error;
    const { code, message, status, retryable, hint } = error;
    const help = hint === undefined ? {} : { hint };
    const details = [{ code, message, ...help, pointer }];
    throw new EarshotError(code, message, { status, retryable, ...help, details, cause: error });
  }
}
