/**
 * Attempts are ranked by what they can show, then how much of the window they leave unread, then
 * cost. A fixed order of credentials would make answers smaller: a user's token reads only seven
 * days on X. Merging all routes would bill posts twice.
 */

import type { EarshotError } from "../../lib/errors.ts";
import type { Session } from "../../platforms/session.ts";
import type { AccessKind, Route } from "../../platforms/upstream.ts";
import type { OpenSession } from "../../upstream/requests/sessions.ts";

export type UpstreamAttempt = { session: OpenSession; route: Route };

/** Best rank first; attempts of the same rank give equal answers. */
export type RankedAttempts = readonly (readonly UpstreamAttempt[])[];

export type FailedUpstreamAttempt = { attempt: UpstreamAttempt; error: EarshotError };

export type Ranking = {
  displayScope: (owner: Session["owner"]) => "everything" | "ids";
  fromMs: number | null;
  nowMs: number;
  toleranceMs: number;
};

export const listAttempts = (
  sessions: readonly OpenSession[],
  listRoutes: (access: AccessKind) => readonly Route[],
): UpstreamAttempt[] =>
  sessions.flatMap((session) => listRoutes(session.access).map((route) => ({ session, route })));

export function rankAttempts(
  attempts: readonly UpstreamAttempt[],
  ranking: Ranking,
): RankedAttempts {
  const ranks = new Map<
    string,
    { displayRank: number; unreadMs: number; attempts: UpstreamAttempt[] }
  >();
  for (const attempt of attempts) {
    const displayRank = ranking.displayScope(attempt.session.owner) === "everything" ? 0 : 1;
    const unreadMs = unreadDurationMs(attempt.route, ranking);
    const key = `${displayRank} ${unreadMs}`;
    const rank = ranks.get(key) ?? { displayRank, unreadMs, attempts: [] };
    rank.attempts.push(attempt);
    ranks.set(key, rank);
  }
  return [...ranks.values()]
    .toSorted((a, b) => a.displayRank - b.displayRank || compareNumbers(a.unreadMs, b.unreadMs))
    .map((rank) => rank.attempts.toSorted((a, b) => a.route.cost - b.route.cost));
}

export function failedBetterAttempts(
  attempt: UpstreamAttempt,
  failedAttempts: readonly FailedUpstreamAttempt[],
  ranks: RankedAttempts,
): readonly FailedUpstreamAttempt[] {
  const attemptRank = (upstreamAttempt: UpstreamAttempt) =>
    ranks.findIndex((attempts) => attempts.includes(upstreamAttempt));
  return failedAttempts.filter(
    (failedAttempt) => attemptRank(failedAttempt.attempt) < attemptRank(attempt),
  );
}

export const reachStartMs = ({ reachMs }: Route, nowMs: number): number | null =>
  reachMs === null ? null : nowMs - reachMs;

function unreadDurationMs(route: Route, { fromMs, nowMs, toleranceMs }: Ranking): number {
  const earliestMs = reachStartMs(route, nowMs);
  if (earliestMs === null) return 0;
  if (fromMs === null) return Number.POSITIVE_INFINITY;
  const unreadMs = Math.max(0, earliestMs - fromMs);
  return unreadMs <= toleranceMs ? 0 : unreadMs;
}

/** Subtracting infinities would give NaN. */
const compareNumbers = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
