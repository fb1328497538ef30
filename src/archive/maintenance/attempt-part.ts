import { EarshotError, errorMessage } from "../../lib/errors.ts";

/**
 * Unreadable data ends the part and is reported as a finding. Rethrows every `EarshotError`, such
 * as `archive_busy`.
 */
export function* attemptPart(
  part: string,
  work: () => Generator<number, void>,
  onDamage: (message: string) => void,
): Generator<number, void> {
  try {
    yield* work();
  } catch (error) {
    if (error instanceof EarshotError) throw error;
    onDamage(`${part} cannot be read: ${errorMessage(error)}`);
  }
}

export function attempt<Value>(
  part: string,
  work: () => Value,
  onDamage: (message: string) => void,
): Value | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof EarshotError) throw error;
    onDamage(`${part} cannot be read: ${errorMessage(error)}`);
    return null;
  }
}
