import { EarshotError, errorMessage } from "../../lib/errors.ts";

/**
 * Unreadable data ends `work` and is reported as a finding. Rethrows every `EarshotError`, such
 * as `archive_busy`.
 */
export function* tryReadingInSteps(
  subject: string,
  work: () => Generator<number, void>,
  onDamage: (message: string) => void,
): Generator<number, void> {
  try {
    yield* work();
  } catch (error) {
    if (error instanceof EarshotError) throw error;
    onDamage(`${subject} cannot be read: ${errorMessage(error)}`);
  }
}

export function tryReading<Value>(
  subject: string,
  work: () => Value,
  onDamage: (message: string) => void,
): Value | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof EarshotError) throw error;
    onDamage(`${subject} cannot be read: ${errorMessage(error)}`);
    return null;
  }
}
