import { EarshotError, messageOf } from "../../lib/errors.ts";

/**
 * Runs one part of a check. What cannot be read ends that part with a finding, and the parts after it still run: damage must
 * never end a check. Errors with a code, such as `archive_busy`, are not about what is read and pass.
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
    onDamage(`${part} cannot be read: ${messageOf(error)}`);
  }
}

/** The same for a part that takes one step; null where it could not be read. */
export function attempt<Value>(
  part: string,
  work: () => Value,
  onDamage: (message: string) => void,
): Value | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof EarshotError) throw error;
    onDamage(`${part} cannot be read: ${messageOf(error)}`);
    return null;
  }
}
