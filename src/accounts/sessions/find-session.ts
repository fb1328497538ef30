import type { Database, Steps } from "../../db/statements.ts";
import type { Caller } from "../authenticate.ts";

export type CallerSession = {
  id: string;
  accountId: string;
  role: "member" | "operator";
  rotatedMs: number;
  isTokenCurrent: boolean;
  expiresMs: number;
};

/** `first_use`: the first use of a replacement token. */
export type SessionNote = "first_use" | "used" | null;

export type FoundSession =
  /** The session is unknown or expired, or its account is suspended. */
  | { kind: "none" }
  /** The token is genuine but was replaced, so a copy of it exists. */
  | { kind: "stolen" }
  | { kind: "live"; session: CallerSession; caller: Caller; note: SessionNote };

export type PresentedSession = {
  sessionId: string;
  generation: number;
  clientHash: string;
  idleMs: number;
};

export const useWriteIntervalMs = 60_000;

type Row = {
  accountId: string;
  role: "member" | "operator";
  suspendedMs: number | null;
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
  generation: number;
  clientHash: string;
  formerUntilMs: number | null;
  usedMs: number;
  rotatedMs: number;
  expiresMs: number;
};

/** The caller has the account's limits, but at most the dashboard's `requestsPerSecond`. */
export function* findSession(
  database: Database,
  presentedSession: PresentedSession,
  requestsPerSecond: number,
  nowMs: number,
): Steps<FoundSession> {
  const { sessionId, idleMs } = presentedSession;
  const row = yield* database.get<Row>(
    `SELECT account_id AS accountId, role, suspended_ms AS suspendedMs,
            requests_per_second AS requestsPerSecond, submissions_per_minute AS submissionsPerMinute, generation, asker AS clientHash, former_until_ms AS formerUntilMs, used_ms AS usedMs, rotated_ms AS rotatedMs,
            expires_ms AS expiresMs
     FROM session JOIN account ON account.id = account_id WHERE session.id = :sessionId`,
    { sessionId },
  );
  if (row === undefined || row.suspendedMs !== null) return { kind: "none" };
  if (row.expiresMs <= nowMs || row.usedMs + idleMs <= nowMs) return { kind: "none" };
  const age = getTokenAge(row, presentedSession);
  if (age === "replaced" && !isInGracePeriod(row, presentedSession, nowMs))
    return { kind: "stolen" };
  const { accountId, role, rotatedMs, expiresMs, submissionsPerMinute } = row;
  const keyId = `dashboard-${accountId}`;
  return {
    kind: "live",
    session: {
      id: sessionId,
      accountId,
      role,
      rotatedMs,
      isTokenCurrent: age === "current",
      expiresMs,
    },
    caller: {
      keyId,
      ratesKeyId: keyId,
      accountId,
      requestsPerSecond: Math.min(requestsPerSecond, row.requestsPerSecond ?? requestsPerSecond),
      submissionsPerMinute,
      // Dashboard pages that poll must not use up the keys' requests. Searches count.
      accountRequestsPerSecond: null,
      accountSubmissionsPerMinute: submissionsPerMinute,
      methods: null,
      sessionId,
    },
    note: rowNote(row, age, nowMs),
  };
}

type Presented = Pick<PresentedSession, "generation" | "clientHash">;

/** `next`: issued as a replacement and not used yet. */
type TokenAge = "current" | "replaced" | "next";

function getTokenAge(row: Row, { generation, clientHash }: Presented): TokenAge {
  if (generation > row.generation) return "next";
  return generation === row.generation && clientHash === row.clientHash ? "current" : "replaced";
}

/** A former token stays valid briefly, for requests in flight. */
function isInGracePeriod(row: Row, { generation }: Presented, nowMs: number): boolean {
  const isLast = generation >= row.generation - 1;
  return isLast && row.formerUntilMs !== null && nowMs < row.formerUntilMs;
}

function rowNote(row: Row, age: TokenAge, nowMs: number): SessionNote {
  if (age === "next") return "first_use";
  return row.usedMs + useWriteIntervalMs <= nowMs ? "used" : null;
}
