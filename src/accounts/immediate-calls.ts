/**
 * Counts requests and searches that need not wait, like `take_calls`
 * (db/postgres/migrations/rates.ts), but only for keys whose account has no limit, and as one
 * statement for any number of keys. PL/pgSQL would prepare each expression in each transaction.
 *
 * The condition and the new values each read the clock after the row is locked. The later reading
 * never leaves less room.
 */

const exactLimit = 64;

type Policy = { name: "burst" | "search"; windowUs: number; limit: string; isTaken: string };

function immediateCalls({ name, windowUs, limit, isTaken }: Policy) {
  const [times, totals] = [`rate.${name}_times`, `rate.${name}_totals`];
  const stepUs = windowUs / exactLimit;
  const newest = `cardinality(${times})`;
  const before = (moment: string): string => `width_bucket(${moment} - ${windowUs}, ${times})`;
  const used = (moment: string): string => `${totals}[${newest}] - ${totals}[${before(moment)}]`;
  const at = `greatest(${times}[${newest}], CASE WHEN ${limit} > ${exactLimit}
    THEN (clock.moment + ${stepUs - 1}) / ${stepUs} * ${stepUs} ELSE clock.moment END)`;
  // A call at the time of the newest entry replaces that entry.
  const last = `${newest} - CASE WHEN ${times}[${newest}] = ${at} THEN 1 ELSE 0 END`;
  const remaining = `[${before("clock.moment")} : ${last}]`;
  const nextFall = `${times}[width_bucket(${totals}[${before("latest_us")}]
    + greatest(0, ${used("latest_us")} - ${limit}), ${totals}) + 1]`;
  return {
    isRoom: `(NOT ${isTaken} OR ${used("greatest(now_us(), latest_us)")} < ${limit})`,
    columns: `${name}_times, ${name}_totals`,
    values: `CASE WHEN ${isTaken} THEN ${times}${remaining} || ${at} ELSE ${times} END,
      CASE WHEN ${isTaken} THEN ${totals}${remaining} || ${totals}[${newest}] + 1 ELSE ${totals} END`,
    report: `greatest(0, ${limit} - (${used("latest_us")})) AS ${name}_remaining,
      coalesce(${nextFall} + ${windowUs} - latest_us, 0) AS ${name}_grows_us`,
  };
}

const burst = immediateCalls({
  name: "burst",
  windowUs: 1_000_000,
  limit: "caller.requestsPerSecond",
  isTaken: "TRUE",
});
const search = immediateCalls({
  name: "search",
  windowUs: 60_000_000,
  limit: "caller.submissionsPerMinute",
  isTaken: "caller.isSubmission",
});

/**
 * Returns the columns of `take_calls`, and `call`. Returns no row for a call that must wait or
 * whose account has limits.
 */
export const immediateCallSql = (callers: string): string => `
  UPDATE rate SET (${burst.columns}, ${search.columns}, latest_us) =
    (SELECT ${burst.values}, ${search.values}, clock.moment
     FROM (SELECT greatest(now_us(), rate.latest_us) AS moment) AS clock)
  FROM ${callers}
  WHERE rate.id = caller.ratesKeyId AND caller.isGood
    AND caller.accountRequestsPerSecond IS NULL AND caller.accountSubmissionsPerMinute IS NULL
    AND ${burst.isRoom} AND ${search.isRoom}
  RETURNING caller.call, TRUE AS allowed, CAST(0 AS BIGINT) AS wait_us,
    CASE WHEN caller.isSubmission THEN search_times[cardinality(search_times)] END AS search_us,
    ${burst.report}, ${search.report}`;
