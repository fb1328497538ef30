import type { Archive } from "../archive/archive.ts";
import type { Clock } from "../lib/clock.ts";

/** Successful checks are cached this long, so that requests cannot keep the readers busy. */
const freshMs = 1_000;
const patienceMs = 2_000;

/** Concurrent callers share one check. */
export function createReadiness(archive: Pick<Archive, "answers">, clock: Clock) {
  let answeredMs = Number.NEGATIVE_INFINITY;
  let checking: Promise<boolean> | null = null;

  async function check(): Promise<boolean> {
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
    checking ??= check().finally(() => {
      checking = null;
    });
    return await checking;
  };
}
