/**
 * Counts requests and searches that need not wait, like `take_calls`
 * (db/postgres/migrations/rates.ts), but only for keys whose account has no limit, and as one
 * statement for any number of keys. PL/pgSQL would prepare each expression in each transaction.
 *
 * The condition and the new values each read the clock after the row is locked. The later reading
 * never leaves less room.
 */

const exactLimit = 64;

type Policy = { name: "burst" | "search"; windowUs: number; limit: string; countsCall: string };

function immediateCalls({ name, windowUs, limit, countsCall }: Policy) {
  const [times, totals] = [`rate.${name}_times`, `rate.${name}_totals`];
  const stepUs = windowUs / exactLimit;
  const newest = `cardinality(${times})`;
  const indexBefore = (moment: string): string => `width_bucket(${moment} - ${windowUs}, ${times})`;
  const usedCalls = (moment: string): string =>
    `${totals}[${newest}] - ${totals}[${indexBefore(moment)}]`;
  const callTime = `greatest(${times}[${newest}], CASE WHEN ${limit} > ${exactLimit}
    THEN (clock.moment + ${stepUs - 1}) / ${stepUs} * ${stepUs} ELSE clock.moment END)`;
  // A call at the time of the newest entry replaces that entry.
  const lastIndex = `${newest} - CASE WHEN ${times}[${newest}] = ${callTime} THEN 1 ELSE 0 END`;
  const remainingSlice = `[${indexBefore("clock.moment")} : ${lastIndex}]`;
  const nextFall = `${times}[width_bucket(${totals}[${indexBefore("latest_us")}]
    + greatest(0, ${usedCalls("latest_us")} - ${limit}), ${totals}) + 1]`;
  return {
    hasRoom: `(NOT ${countsCall} OR ${usedCalls("greatest(now_us(), latest_us)")} < ${limit})`,
    columns: `${name}_times, ${name}_totals`,
    values: `CASE WHEN ${countsCall} THEN ${times}${remainingSlice} || ${callTime} ELSE ${times} END,
      CASE WHEN ${countsCall} THEN ${totals}${remainingSlice} || ${totals}[${newest}] + 1 ELSE ${totals} END`,
    report: `greatest(0, ${limit} - (${usedCalls("latest_us")})) AS ${name}_remaining,
      coalesce(${nextFall} + ${windowUs} - latest_us, 0) AS ${name}_grows_us`,
  };
}

const burst = immediateCalls({
  name: "burst",
  windowUs: 1_000_000,
  limit: "caller.requestsPerSecond",
  countsCall: "TRUE",
});
const search = immediateCalls({
  name: "search",
  windowUs: 60_000_000,
  limit: "caller.submissionsPerMinute",
  countsCall: "caller.isSubmission",
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
    AND ${burst.hasRoom} AND ${search.hasRoom}
  RETURNING caller.call, TRUE AS allowed, CAST(0 AS BIGINT) AS wait_us,
    CASE WHEN caller.isSubmission THEN search_times[cardinality(search_times)] END AS search_us,
    ${burst.report}, ${search.report}`;
