import type { Archive } from "../archive/archive.ts";
import type { Clock } from "../lib/clock.ts";

/** How long one answer of a reader counts, so that nobody can keep the readers busy by asking. */
const freshMs = 1_000;
/** How long a reader may take. */
const patienceMs = 2_000;

/** Asks a reader of the archive whether it answers; callers that come together share one question. */
export function createReadiness(archive: Pick<Archive, "answers">, clock: Clock) {
  let answeredMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<boolean> | null = null;

  async function ask(): Promise<boolean> {
    const over = new AbortController();
    const answer = archive.answers().then(
      () => true,
      () => false,
    );
    const tooLate = clock.sleep(patienceMs, over.signal).then(
      () => false,
      () => false,
    );
    const answers = await Promise.race([answer, tooLate]);
    over.abort();
    if (answers) answeredMs = clock.elapsed();
    return answers;
  }

  return async (): Promise<boolean> => {
    if (clock.elapsed() - answeredMs < freshMs) return true;
    asking ??= ask().finally(() => {
      asking = null;
    });
    return await asking;
  };
}
