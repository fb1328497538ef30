import { EarshotError } from "../../lib/errors.ts";
import type { Session } from "../../platforms/session.ts";
import { UpstreamLimited } from "../../platforms/upstream-limited.ts";
import { sourceErrorCodes } from "../error-code.ts";
import type { FailedUpstreamAttempt, RankedAttempts, UpstreamAttempt } from "./attempts.ts";

export type TriedAnswer<Answer> = {
  answer: Answer;
  attempt: UpstreamAttempt;
  failedAttempts: readonly FailedUpstreamAttempt[];
};

/**
 * Tries the best rank first. If a rank fails and rate limits are used up, waits for the first reset
 * and retries before trying a lower rank. `read` gets one session for its first request and
 * another, which waits for resets, for the rest. Errors: if all attempts fail, the last retryable
 * error, or else the first error; `source_unavailable` if there are no attempts.
 */
export async function tryInOrder<Answer>(
  ranks: RankedAttempts,
  read: (
    attempt: UpstreamAttempt,
    firstSession: Session,
    patientSession: Session,
  ) => Promise<Answer>,
): Promise<TriedAnswer<Answer>> {
  const failedAttempts: FailedUpstreamAttempt[] = [];

  async function tryAttempt(
    attempt: UpstreamAttempt,
    first: Session,
  ): Promise<TriedAnswer<Answer> | EarshotError> {
    try {
      const answer = await read(attempt, first, attempt.session.patientSession);
      return { answer, attempt, failedAttempts };
    } catch (thrown) {
      if (!(thrown instanceof EarshotError) || !sourceErrorCodes.has(thrown.code)) throw thrown;
      return thrown;
    }
  }

  for (const attempts of ranks) {
    let soonestRetry: { attempt: UpstreamAttempt; retryAtMs: number } | null = null;
    for (const attempt of attempts) {
      const outcome = await tryAttempt(attempt, attempt.session);
      if (!(outcome instanceof EarshotError)) return outcome;
      failedAttempts.push({ attempt, error: outcome });
      if (!(outcome instanceof UpstreamLimited)) continue;
      const { retryAtMs } = outcome;
      if (soonestRetry === null || retryAtMs < soonestRetry.retryAtMs)
        soonestRetry = { attempt, retryAtMs };
    }
    if (soonestRetry === null) continue;
    const { attempt } = soonestRetry;
    const outcome = await tryAttempt(attempt, attempt.session.patientSession);
    if (!(outcome instanceof EarshotError)) return outcome;
    failedAttempts.push({ attempt, error: outcome });
  }
  const errors = failedAttempts.map(({ error }) => error);
  throw errors.findLast(({ retryable }) => retryable) ?? errors[0] ?? noAccess();
}

function noAccess(): EarshotError {
  return new EarshotError("source_unavailable", "no usable credential", {
    status: 502,
    hint: "find the cause with earshot credentials list",
  });
}
