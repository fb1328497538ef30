import type { Database } from "../../db/open.ts";
import type { Caller } from "../authenticate.ts";

/** Whose session a request brought. */
export type CallerSession = {
  id: string;
  accountId: string;
  role: "member" | "operator";
  /** When its token was last replaced, and whether the request brought the one that is in use since. */
  rotatedMs: number;
  bringsCurrent: boolean;
  expiresMs: number;
};

/** What the request does to the session's row, if anything: `first_use` of a token that took another's place. */
export type SessionNote = "first_use" | "used" | null;

export type FoundSession =
  /** Unknown, expired, or of an account that is suspended. */
  | { kind: "none" }
  /** The session lives, and the token was its own: it was replaced, and somebody kept a copy. */
  | { kind: "stolen" }
  | { kind: "live"; session: CallerSession; caller: Caller; note: SessionNote };

export type PresentedSession = {
  sessionId: string;
  generation: number;
  asker: string;
  idleMs: number;
};

/** The time of its last use is kept as exact as this. */
export const useNotedMs = 60_000;

type Row = {
  accountId: string;
  role: "member" | "operator";
  suspendedMs: number | null;
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
  generation: number;
  asker: string;
  formerUntilMs: number | null;
  usedMs: number;
  rotatedMs: number;
  expiresMs: number;
};

/**
 * The session of a token that this server made. The caller has the account's own limits, and asks no more
 * than `requestsPerSecond`, as the dashboard may.
 */
export function findSession(
  database: Database,
  presented: PresentedSession,
  requestsPerSecond: number,
  nowMs: number,
): FoundSession {
  const { sessionId, idleMs } = presented;
  const row = database.get<Row>(
    `SELECT account_id AS accountId, role, suspended_ms AS suspendedMs,
            requests_per_second AS requestsPerSecond, submissions_per_minute AS submissionsPerMinute, generation, asker, former_until_ms AS formerUntilMs, used_ms AS usedMs, rotated_ms AS rotatedMs,
            expires_ms AS expiresMs
     FROM session JOIN account ON account.id = account_id WHERE session.id = :sessionId`,
    { sessionId },
  );
  if (row === undefined || row.suspendedMs !== null) return { kind: "none" };
  if (row.expiresMs <= nowMs || row.usedMs + idleMs <= nowMs) return { kind: "none" };
  const place = placeOf(row, presented);
  if (place === "replaced" && !isStillGood(row, presented, nowMs)) return { kind: "stolen" };
  const { accountId, role, rotatedMs, expiresMs, submissionsPerMinute } = row;
  const keyId = `dashboard-${accountId}`;
  return {
    kind: "live",
    session: {
      id: sessionId,
      accountId,
      role,
      rotatedMs,
      bringsCurrent: place === "current",
      expiresMs,
    },
    caller: {
      keyId,
      ratesKeyId: keyId,
      accountId,
      requestsPerSecond: Math.min(requestsPerSecond, row.requestsPerSecond ?? requestsPerSecond),
      submissionsPerMinute,
      // Its pages ask by themselves and take nothing from the keys, but for the searches that somebody runs there.
      accountRequestsPerSecond: null,
      accountSubmissionsPerMinute: submissionsPerMinute,
      methods: null,
      sessionId,
    },
    note: noteOf(row, place, nowMs),
  };
}

type Presented = Pick<PresentedSession, "generation" | "asker">;

/** Where a token stands: the one in use, one that was replaced, or one that was handed out and comes for the first time. */
type Place = "current" | "replaced" | "next";

/** Two of one generation were handed out to two who asked: the one that comes first is the session's. */
function placeOf(row: Row, { generation, asker }: Presented): Place {
  if (generation > row.generation) return "next";
  return generation === row.generation && asker === row.asker ? "current" : "replaced";
}

/** For a while after the first use of the one in its place: requests are under way with it. */
function isStillGood(row: Row, { generation }: Presented, nowMs: number): boolean {
  const isLast = generation >= row.generation - 1;
  return isLast && row.formerUntilMs !== null && nowMs < row.formerUntilMs;
}

function noteOf(row: Row, place: Place, nowMs: number): SessionNote {
  if (place === "next") return "first_use";
  return row.usedMs + useNotedMs <= nowMs ? "used" : null;
}
