import { EarshotError } from "../../lib/errors.ts";
import type { OpenSession } from "../requests/sessions.ts";
import type { Session } from "../session.ts";
import { UpstreamLimited } from "../upstream-limited.ts";

/** Faults of one way to ask that another way may not have. */
const ownFaults = new Set([
  "upstream_limited",
  "credential_refused",
  "budget_used_up",
  "paid_call_repeated",
]);

/**
 * Asks by one session after another, the best first, until one answers. Where only used up limits are in the way, the one that
 * is open again first is waited for. `ask` gets the session for its first request, and the one for those that follow, which
 * waits: what was begun by one credential is gone on with by the same. Errors: that of the last way left; `credential_refused` and the like where none is.
 */
export async function inTurn<Answer>(
  sessions: readonly OpenSession[],
  ask: (first: Session, rest: Session) => Promise<Answer>,
): Promise<{ answer: Answer; session: OpenSession }> {
  const faults: EarshotError[] = [];
  let soonest: { session: OpenSession; retryAtMs: number } | null = null;
  for (const session of sessions) {
    try {
      return { answer: await ask(session, session.patient), session };
    } catch (fault) {
      if (!(fault instanceof EarshotError) || !ownFaults.has(fault.code)) throw fault;
      faults.push(fault);
      if (!(fault instanceof UpstreamLimited)) continue;
      const { retryAtMs } = fault;
      if (soonest === null || retryAtMs < soonest.retryAtMs) soonest = { session, retryAtMs };
    }
  }
  if (soonest !== null) {
    const { session } = soonest;
    return { answer: await ask(session.patient, session.patient), session };
  }
  throw faults.find(({ retryable }) => retryable) ?? faults[0] ?? noWay();
}

function noWay(): EarshotError {
  return new EarshotError("source_unavailable", "no credential that may ask is left", {
    status: 502,
    hint: "earshot credentials list tells why",
  });
}
