import { EarshotError } from "../../lib/errors.ts";
import type { Session } from "../../platforms/session.ts";
import { UpstreamLimited } from "../../platforms/upstream-limited.ts";
import { sourceErrorCodes } from "../error-code.ts";
import type { FailedUpstreamAttempt, RankedAttempts, UpstreamAttempt } from "./attempts.ts";

export type TriedAnswer<Answer> = {
  answer: Answer;
  attempt: UpstreamAttempt;
  failed: readonly FailedUpstreamAttempt[];
};

/**
 * Tries the best rank first. If a rank fails and limits are used up, waits for the first to reopen
 * before trying a worse rank. `read` gets a session for the first request and a patient one for
 * later requests. Errors: that of an attempt if all fail; `source_unavailable` if there is none.
 */
export async function tryInOrder<Answer>(
  ranks: RankedAttempts,
  read: (attempt: UpstreamAttempt, first: Session, rest: Session) => Promise<Answer>,
): Promise<TriedAnswer<Answer>> {
  const failed: FailedUpstreamAttempt[] = [];

  async function tryAttempt(
    attempt: UpstreamAttempt,
    first: Session,
  ): Promise<TriedAnswer<Answer> | EarshotError> {
    try {
      const answer = await read(attempt, first, attempt.session.patient);
      return { answer, attempt, failed };
    } catch (thrown) {
      if (!(thrown instanceof EarshotError) || !sourceErrorCodes.has(thrown.code)) throw thrown;
      return thrown;
    }
  }

  for (const attempts of ranks) {
    let soonest: { attempt: UpstreamAttempt; retryAtMs: number } | null = null;
    for (const attempt of attempts) {
      const outcome = await tryAttempt(attempt, attempt.session);
      if (!(outcome instanceof EarshotError)) return outcome;
      failed.push({ attempt, error: outcome });
      if (!(outcome instanceof UpstreamLimited)) continue;
      const { retryAtMs } = outcome;
      if (soonest === null || retryAtMs < soonest.retryAtMs) soonest = { attempt, retryAtMs };
    }
    if (soonest === null) continue;
    const { attempt } = soonest;
    const outcome = await tryAttempt(attempt, attempt.session.patient);
    if (!(outcome instanceof EarshotError)) return outcome;
    failed.push({ attempt, error: outcome });
  }
  const errors = failed.map(({ error }) => error);
  throw errors.findLast(({ retryable }) => retryable) ?? errors[0] ?? noAccess();
}

function noAccess(): EarshotError {
  return new EarshotError("source_unavailable", "no usable credential", {
    status: 502,
    hint: "find the cause with earshot credentials list",
  });
}
