import type { Database } from "../../db/open.ts";
import type { Caller } from "../authenticate.ts";
import { isSameHash } from "./session-token.ts";

/** Whose session a request brought. */
export type CallerSession = {
  id: string;
  accountId: string;
  role: "member" | "operator";
  /** When its secret was last replaced, and whether the request brought the one before. */
  rotatedMs: number;
  bringsFormer: boolean;
};

/** What the request does to the session's row, if anything: `first_use` of a secret that took another's place. */
export type SessionNote = "first_use" | "used" | null;

export type FoundSession =
  /** Unknown, expired, or of an account that is suspended. */
  | { kind: "none" }
  /** The session lives, and the secret is not its own: it was replaced, and somebody kept a copy. */
  | { kind: "stolen" }
  | { kind: "live"; session: CallerSession; caller: Caller; note: SessionNote };

export type PresentedSession = {
  sessionId: string;
  /** SHA-256 of the secret in base64. */
  secretHash: string;
  idleMs: number;
};

/** The time of its last use is kept as exact as this. */
export const useNotedMs = 60_000;

type Row = {
  accountId: string;
  role: "member" | "operator";
  suspendedMs: number | null;
  submissionsPerMinute: number | null;
  tokenHash: Uint8Array;
  formerHash: Uint8Array | null;
  formerUntilMs: number | null;
  usedMs: number;
  rotatedMs: number;
  expiresMs: number;
};

/** The session of a token. The caller has the account's own limits; `requestsPerSecond` is what the dashboard may ask. */
export function findSession(
  database: Database,
  { sessionId, secretHash, idleMs }: PresentedSession,
  requestsPerSecond: number,
  nowMs: number,
): FoundSession {
  const row = database.get<Row>(
    `SELECT account_id AS accountId, role, suspended_ms AS suspendedMs,
            submissions_per_minute AS submissionsPerMinute, token_hash AS tokenHash, former_hash AS formerHash,
            former_until_ms AS formerUntilMs, used_ms AS usedMs, rotated_ms AS rotatedMs,
            expires_ms AS expiresMs
     FROM session JOIN account ON account.id = account_id WHERE session.id = :sessionId`,
    { sessionId },
  );
  if (row === undefined || row.suspendedMs !== null) return { kind: "none" };
  if (row.expiresMs <= nowMs || row.usedMs + idleMs <= nowMs) return { kind: "none" };
  const presented = Buffer.from(secretHash, "base64");
  const isCurrent = isSameHash(row.tokenHash, presented);
  if (!isCurrent && !isFormer(row, presented, nowMs)) return { kind: "stolen" };
  const { accountId, role, rotatedMs, submissionsPerMinute } = row;
  const keyId = `dashboard-${accountId}`;
  return {
    kind: "live",
    session: { id: sessionId, accountId, role, rotatedMs, bringsFormer: !isCurrent },
    caller: {
      keyId,
      ratesKeyId: keyId,
      accountId,
      requestsPerSecond,
      submissionsPerMinute,
      methods: null,
    },
    note: noteOf(row, isCurrent, nowMs),
  };
}

/** One that was replaced is good until a while after the first use of the one in its place: an answer may get lost on its way. */
function isFormer({ formerHash, formerUntilMs }: Row, presented: Buffer, nowMs: number): boolean {
  return isSameHash(formerHash, presented) && (formerUntilMs === null || nowMs < formerUntilMs);
}

function noteOf(row: Row, isCurrent: boolean, nowMs: number): SessionNote {
  if (isCurrent && row.formerHash !== null && row.formerUntilMs === null) return "first_use";
  return row.usedMs + useNotedMs <= nowMs ? "used" : null;
}
