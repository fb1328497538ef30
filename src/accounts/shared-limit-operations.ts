/**
 * The operations of limit-operations.ts for several processes: the database counts by its own clock
 * (db/postgres/migrations/rates.ts).
 */

import { memory } from "../db/operations.ts";
import { batchedCalls, parametersAsColumns } from "../db/postgres/batched-calls.ts";
import { batchableStatement, singleStatement } from "../db/postgres/run-operation.ts";
import type { Database, Steps } from "../db/statements.ts";
import {
  type AuthenticationRow,
  authenticationSql,
  type Caller,
  keyCaller,
  tokenAuthenticationSql,
} from "./authenticate.ts";
import { addressGroup } from "./client-addresses.ts";
import { immediateCallSql } from "./immediate-calls.ts";
import {
  type AdmissionOutcome,
  type AdmissionRequest,
  type CallTime,
  type LimitOperations,
  type RateOutcome,
  ratedKey,
  type SessionAdmissionOutcome,
  type SessionAdmissionRequest,
  type SubmissionOutcome,
  type SubmissionRateRequest,
} from "./limit-operations.ts";
import type { PolicyState } from "./limits.ts";
import type { RatedKey } from "./rates.ts";
import { findSession } from "./sessions/find-session.ts";

type RateRow = {
  /** Null if no call was counted. */
  allowed: number | null;
  waitUs: number;
  /** Null if no search was counted. */
  searchUs: number | null;
  burstRemaining: number;
  burstGrowsUs: number;
  searchRemaining: number;
  searchGrowsUs: number;
};

export const rateColumns = `allowed, wait_us AS waitUs, search_us AS searchUs, burst_remaining AS burstRemaining,
  burst_grows_us AS burstGrowsUs, search_remaining AS searchRemaining, search_grows_us AS searchGrowsUs`;

const maxWaitUs = `CASE WHEN CAST(:mayWait AS BIGINT) = 1 OR (CAST(:readOf AS TEXT) IS NOT NULL AND EXISTS
  (SELECT 1 FROM job WHERE uuid = :readOf AND account_id = caller.accountId))
  THEN CAST(:maxWaitMs AS BIGINT) * 1000 ELSE 0 END`;

const blockedUs = `SELECT CASE WHEN count(*) < :failedKeysPerMinute THEN 0 ELSE greatest(0, min(at_us) + 60000000 - now_us()) END AS us
  FROM failed_key WHERE address_group = :addressGroup AND at_us + 60000000 > now_us()`;

export const callerSql = (authenticationSql: string): string => `
  SELECT caller.*, blocked.us AS blockedUs, blocked.us = 0 AND caller.isKnown AND NOT caller.isSuspended
    AND caller.secretHash = decode(:presentedHash, 'base64') AS isGood
  FROM (${blockedUs}) AS blocked CROSS JOIN (${authenticationSql}) AS caller`;

export const admissionParameterTypes = {
  ...{ id: "TEXT", resource: "TEXT", presentedHash: "TEXT", addressGroup: "TEXT" },
  ...{ nowMs: "BIGINT", failedKeysPerMinute: "BIGINT", isSubmission: "BOOLEAN" },
  ...{ requestsPerSecond: "BIGINT", submissionsPerMinute: "BIGINT" },
};

/** Locks rows in key order, to avoid deadlocks. */
export const lockedRatesSql =
  "SELECT id FROM rate WHERE id IN (SELECT ratesKeyId FROM caller WHERE isGood) ORDER BY id FOR NO KEY UPDATE";

/** `batchSql` counts only calls that need not wait. */
const admissionSql = (authenticationSql: string) => ({
  sql: `SELECT caller.*, ${rateColumns} FROM (${callerSql(authenticationSql)}) AS caller
    CROSS JOIN LATERAL take_calls(caller.isGood,
      ARRAY[caller.ratesKeyId, 'account ' || caller.accountId],
      ARRAY[caller.requestsPerSecond, caller.accountRequestsPerSecond],
      ARRAY[caller.submissionsPerMinute, caller.accountSubmissionsPerMinute],
      ${maxWaitUs}, TRUE, :isSubmission) AS rates`,
  batchSql: `WITH caller AS MATERIALIZED (
      SELECT request.call, request.isSubmission, caller.* FROM ${batchedCalls("request", admissionParameterTypes)}
      CROSS JOIN LATERAL (${parametersAsColumns("request", callerSql(authenticationSql))}) AS caller),
    locked AS (${lockedRatesSql}),
    taken AS (${immediateCallSql("caller JOIN locked ON locked.id = caller.ratesKeyId")})
    SELECT caller.*, ${rateColumns} FROM caller LEFT JOIN taken ON taken.call = caller.call`,
});

const keyAdmission = admissionSql(authenticationSql);
const tokenAdmission = admissionSql(tokenAuthenticationSql);

const rateSql = `
  SELECT ${rateColumns} FROM (SELECT CAST(:accountId AS TEXT) AS accountId) AS caller
  CROSS JOIN LATERAL take_calls(TRUE, ARRAY[:keyId, 'account ' || CAST(:accountId AS TEXT)],
    ARRAY[CAST(:requestsPerSecond AS BIGINT), CAST(:accountRequestsPerSecond AS BIGINT)],
    ARRAY[CAST(:submissionsPerMinute AS BIGINT), CAST(:accountSubmissionsPerMinute AS BIGINT)],
    ${maxWaitUs}, :takesRequest, :takesSearch) AS rates`;

export type AdmissionRow = AuthenticationRow & RateRow & { blockedUs: number; isGood: number };

/** In place of the hash of a missing key. */
const noHash = new Uint8Array(32);

export const sharedLimitOperations: LimitOperations = {
  /** Only opens the connection, before other connections use up the server's maximum. */
  restoreRates: memory(function* (database, _request: CallTime): Steps<null> {
    yield* database.get("SELECT 1");
    return null;
  }),

  admit: memory(function* (database, request: AdmissionRequest): Steps<AdmissionOutcome> {
    const { keyHash, presentedHash, failedKeysPerMinute, maxWaitMs, resource } = request;
    const statement = resource === null ? keyAdmission : tokenAdmission;
    const parameters = {
      ...admissionParameters(request),
      ...(resource === null ? {} : { resource }),
      maxWaitMs,
      readOf: request.readOf?.toLowerCase() ?? null,
      mayWait: request.mayWait === true ? 1 : 0,
    };
    const batchedRow = yield* batchableStatement<AdmissionRow>(statement, parameters);
    const isUncounted = batchedRow?.isGood === 1 && batchedRow.allowed === null;
    const row = isUncounted
      ? yield* singleStatement<AdmissionRow>(statement.sql, parameters)
      : batchedRow;
    if (row === undefined) throw new Error("the admission query returned no row");
    if (row.blockedUs > 0) return { kind: "blocked", retryAfterMs: row.blockedUs / 1_000 };
    if (presentedHash === null) return { kind: "unknown" };
    const caller = keyHash === null ? null : keyCaller(row, decodeKeyHash(request));
    if (caller === "suspended") return { kind: "suspended" };
    if (caller === null) {
      yield* database.get("SELECT note_failed_key(:group, :presentedHash, :failedKeysPerMinute)", {
        ...{ group: parameters.addressGroup, presentedHash, failedKeysPerMinute },
      });
      return { kind: "unknown" };
    }
    return makeRateOutcome(caller, ratedKey(caller, request), row);
  }),

  admitSession: memory(function* (
    database,
    request: SessionAdmissionRequest,
  ): Steps<SessionAdmissionOutcome> {
    const found = yield* findSession(
      database,
      request,
      request.dashboardRequestsPerSecond,
      request.nowMs,
    );
    if (found.kind !== "live") return found;
    const { session, note, caller } = found;
    const key = ratedKey(caller, request);
    const rates = yield* readRateRow(database, key, {
      ...{
        accountId: caller.accountId,
        takesRequest: 1,
        takesSearch: request.isSubmission === true ? 1 : 0,
      },
      ...{ readOf: request.readOf?.toLowerCase() ?? null, maxWaitMs: request.maxWaitMs },
    });
    return { ...makeRateOutcome(caller, key, rates), session, note };
  }),

  takeSubmission: memory(function* (
    database,
    { key }: SubmissionRateRequest,
  ): Steps<SubmissionOutcome> {
    const rates = yield* readRateRow(database, key, { takesRequest: 0, takesSearch: 1 });
    return {
      allowed: rates.allowed === 1,
      retryAfterMs: rates.waitUs / 1_000,
      countedMs: rates.searchUs ?? 0,
      policies: keyPolicies(key, rates),
    };
  }),

  giveBackSubmission: memory(function* (
    database,
    { key, countedMs: countedUs }: SubmissionRateRequest & { countedMs: number },
  ): Steps<PolicyState[]> {
    yield* database.get(
      "SELECT give_back_search(ARRAY[:keyId, 'account ' || CAST(:accountId AS TEXT)], :countedUs)",
      { keyId: key.keyId, accountId: key.account?.accountId ?? "", countedUs },
    );
    return yield* readStates(database, key);
  }),

  limitState: memory(function* (database, { key }: SubmissionRateRequest): Steps<PolicyState[]> {
    return yield* readStates(database, key);
  }),

  limitStates: memory(function* (
    database,
    { keys }: CallTime & { keys: readonly RatedKey[] },
  ): Steps<PolicyState[][]> {
    const states: PolicyState[][] = [];
    for (const key of keys) states.push(yield* readStates(database, key));
    return states;
  }),
};

/** Parameters of a call that cannot wait. */
export function admissionParameters(request: AdmissionRequest) {
  const { keyId, keyHash, nowMs, failedKeysPerMinute } = request;
  const { requestsPerSecond, submissionsPerMinute } = request;
  return {
    ...{ id: keyId ?? "", presentedHash: keyHash ?? "", nowMs, failedKeysPerMinute },
    ...{ requestsPerSecond, submissionsPerMinute },
    addressGroup: addressGroup(request.address),
    isSubmission: request.isSubmission === true ? 1 : 0,
  };
}

export function rowRateOutcome(row: AdmissionRow, request: AdmissionRequest): RateOutcome | null {
  const caller = row.allowed === 1 ? keyCaller(row, decodeKeyHash(request)) : null;
  if (caller === null || caller === "suspended") return null;
  return makeRateOutcome(caller, ratedKey(caller, request), row);
}

const decodeKeyHash = ({ keyHash }: AdmissionRequest): Uint8Array =>
  keyHash === null ? noHash : Buffer.from(keyHash, "base64");

function* readStates(database: Database, key: RatedKey): Steps<PolicyState[]> {
  return keyPolicies(key, yield* readRateRow(database, key, { takesRequest: 0, takesSearch: 0 }));
}

type RateCallRequest = {
  takesRequest: 0 | 1;
  takesSearch: 0 | 1;
  accountId?: string;
  readOf?: string | null;
  maxWaitMs?: number;
};

function* readRateRow(
  database: Database,
  { keyId, requestsPerSecond, submissionsPerMinute, account = null }: RatedKey,
  {
    accountId = account?.accountId ?? "",
    readOf = null,
    maxWaitMs = 0,
    ...request
  }: RateCallRequest,
): Steps<RateRow> {
  const rates = yield* database.get<RateRow>(rateSql, {
    ...{ ...request, keyId, accountId, readOf, maxWaitMs, requestsPerSecond, submissionsPerMinute },
    mayWait: 0,
    accountRequestsPerSecond: account?.requestsPerSecond ?? null,
    accountSubmissionsPerMinute: account?.submissionsPerMinute ?? null,
  });
  if (rates === undefined) throw new Error("the rate query returned no row");
  return rates;
}

function makeRateOutcome(caller: Caller, key: RatedKey, rates: RateRow): RateOutcome {
  const policies = keyPolicies(key, rates);
  const waitMs = rates.waitUs / 1_000;
  return rates.allowed === 1
    ? { kind: "admitted", caller, waitMs, policies, searchMs: rates.searchUs }
    : { kind: "refused", caller, retryAfterMs: waitMs, policies };
}

const keyPolicies = (key: RatedKey, rates: RateRow): PolicyState[] => [
  {
    ...{ policy: "burst", limit: key.requestsPerSecond, windowMs: 1_000 },
    ...{ remaining: rates.burstRemaining, growsInMs: rates.burstGrowsUs / 1_000 },
  },
  {
    ...{ policy: "search", limit: key.submissionsPerMinute, windowMs: 60_000 },
    ...{ remaining: rates.searchRemaining, growsInMs: rates.searchGrowsUs / 1_000 },
  },
];
