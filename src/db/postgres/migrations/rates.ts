/**
 * A row has the two sliding logs of a key (or `account <id>`). A log is two arrays: the times of
 * calls, in microseconds on the server's clock, oldest first, and the total number of calls up to
 * each time. The first entry no longer counts, so the number of calls in a window is the difference
 * between two totals, which `width_bucket` finds by binary search. For limits above `exactLimit`,
 * times are rounded up to a 64th of the window, which may admit a call later but never earlier.
 * Rates need no sync: the commit of an accepted job syncs what was written before it.
 *
 * PL/pgSQL prepares each expression in each transaction, so few expressions beat short loops.
 */

const exactLimit = 64;

const burst = { name: "burst", windowUs: 1_000_000 };
const search = { name: "search", windowUs: 60_000_000 };

type Policy = typeof burst;

const logColumns = ["burst_times", "burst_totals", "search_times", "search_totals", "latest_us"];

const declarations = (holder: string): string =>
  logColumns
    .map((column) => `${holder}_${column} BIGINT${column.endsWith("us") ? "" : "[]"};`)
    .concat([burst, search].map(({ name }) => `${holder}_${name}_before INT;`))
    .concat([burst, search].map(({ name }) => `${holder}_${name}_used BIGINT;`))
    .join(" ");

const variables = (holder: string): string =>
  logColumns.map((column) => `${holder}_${column}`).join(", ");

const read = (holder: string, id: string): string =>
  `SELECT ${logColumns.join(", ")} INTO ${variables(holder)} FROM rate WHERE id = ${id} FOR UPDATE;`;

/** Also deletes some outdated rows. */
const readOrInsert = (holder: string, id: string): string => `
  ${read(holder, id)}
  IF NOT FOUND THEN
    INSERT INTO rate(id) VALUES(${id}) ON CONFLICT DO NOTHING;
    DELETE FROM rate WHERE id IN
      (SELECT old.id FROM rate AS old WHERE latest_us BETWEEN 1 AND now_us() - 3600000000 LIMIT 10 FOR UPDATE SKIP LOCKED);
    ${read(holder, id)}
  END IF;`;

/** `before` is the last entry that no longer counts. */
const countUsed = (log: string, { windowUs }: Policy): string => `
  ${log}_before := width_bucket(moment - ${windowUs}, ${log}_times);
  ${log}_used := ${log}_totals[cardinality(${log}_totals)] - ${log}_totals[${log}_before];`;

/** Microseconds until `excess` + 1 fewer calls count; null if no more than `excess` count now. */
const timeToFall = (log: string, { windowUs }: Policy, excess: string): string =>
  `${log}_times[width_bucket(${log}_totals[${log}_before] + ${excess}, ${log}_totals) + 1] + ${windowUs} - moment`;

const addCall = (log: string, { windowUs }: Policy, limit: string): string => {
  const stepUs = windowUs / exactLimit;
  const newest = `cardinality(${log}_times)`;
  return `
  at_us := greatest(${log}_times[${newest}],
    CASE WHEN ${limit} > ${exactLimit} THEN (moment + wait_us + ${stepUs - 1}) / ${stepUs} * ${stepUs} ELSE moment + wait_us END);
  IF ${log}_times[${newest}] = at_us THEN
    ${log}_totals[${newest}] := ${log}_totals[${newest}] + 1;
  ELSE
    ${log}_totals := ${log}_totals[${log}_before :] || ${log}_totals[${newest}] + 1;
    ${log}_times := ${log}_times[${log}_before :] || at_us;
    ${log}_before := 1;
  END IF;
  ${log}_used := ${log}_used + 1;`;
};

const write = (holder: string, id: string): string => `
  UPDATE rate SET ${logColumns
    .map((column) => `${column} = ${column === "latest_us" ? "moment" : `${holder}_${column}`}`)
    .join(", ")} WHERE id = ${id};`;

const forEachLog = ({ name }: Policy, each: (log: string, limit: string) => string): string => `
  ${each(`own_${name}`, `${name}_limits[1]`)}
  IF ${name}_limits[2] IS NOT NULL THEN ${each(`shared_${name}`, `${name}_limits[2]`)} END IF;`;

const computeWait = (policy: Policy): string => `
  wait_us := 0;
  ${forEachLog(
    policy,
    (log, limit) => `
    IF ${log}_used >= ${limit} THEN
      wait_us := greatest(wait_us, ${timeToFall(log, policy, `${log}_used - ${limit}`)});
    END IF;`,
  )}`;

/** Reports the log with fewer calls left or, if equal, the one that gains a call later. */
const report = (policy: Policy): string => {
  const { name } = policy;
  const callsLeft = (log: string, limit: string): string => `greatest(0, ${limit} - ${log}_used)`;
  const untilGrowthUs = (log: string, limit: string): string =>
    `coalesce(${timeToFall(log, policy, `greatest(0, ${log}_used - ${limit})`)}, 0)`;
  const [ownLog, ownLimit] = [`own_${name}`, `${name}_limits[1]`];
  const [sharedLog, sharedLimit] = [`shared_${name}`, `${name}_limits[2]`];
  return `
  ${name}_remaining := ${callsLeft(ownLog, ownLimit)};
  ${name}_grows_us := ${untilGrowthUs(ownLog, ownLimit)};
  IF ${sharedLimit} IS NOT NULL AND ${callsLeft(sharedLog, sharedLimit)} <= ${name}_remaining THEN
    ${name}_grows_us := CASE WHEN ${callsLeft(sharedLog, sharedLimit)} < ${name}_remaining THEN ${untilGrowthUs(sharedLog, sharedLimit)}
      ELSE greatest(${name}_grows_us, ${untilGrowthUs(sharedLog, sharedLimit)}) END;
    ${name}_remaining := ${callsLeft(sharedLog, sharedLimit)};
  END IF;`;
};

/** Drops what an earlier version of the first migration created. */
export const dropRates = `
  DROP FUNCTION IF EXISTS take_turn, take_rates, read_rate, without_old, time_to_fall, note_call, give_back_rate,
    take_calls, give_back_search, note_failed_key, now_us;
  DROP TABLE IF EXISTS rate, failed_key;
`;

/**
 * `take_calls` counts a request (`burst`), a search, or both; the search of a request counts only
 * if neither must wait. `allowed` and `wait_us` apply to the request if there is one, otherwise to
 * the search. `search_us` is the time of the search in its log. Nothing is counted unless `is_good`
 * is true.
 */
export const rateFunctions = `
  CREATE TABLE rate(
    id TEXT COLLATE "C" PRIMARY KEY,
    burst_times BIGINT[] NOT NULL DEFAULT '{0}',
    burst_totals BIGINT[] NOT NULL DEFAULT '{0}',
    search_times BIGINT[] NOT NULL DEFAULT '{0}',
    search_totals BIGINT[] NOT NULL DEFAULT '{0}',
    latest_us BIGINT NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);
  ALTER TABLE rate ALTER burst_times SET STORAGE PLAIN, ALTER burst_totals SET STORAGE PLAIN,
    ALTER search_times SET STORAGE PLAIN, ALTER search_totals SET STORAGE PLAIN;

  CREATE TABLE failed_key(
    address_group TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    at_us BIGINT NOT NULL,
    PRIMARY KEY(address_group, hash)
  );
  CREATE INDEX failed_key_by_time ON failed_key(at_us);

  CREATE FUNCTION now_us() RETURNS BIGINT LANGUAGE sql VOLATILE
    AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::BIGINT $$;

  CREATE FUNCTION take_calls(
    is_good BOOLEAN, ids TEXT[], burst_limits BIGINT[], search_limits BIGINT[], most_wait_us BIGINT,
    takes_burst BOOLEAN, takes_search BOOLEAN,
    OUT allowed BOOLEAN, OUT wait_us BIGINT, OUT search_us BIGINT,
    OUT burst_remaining BIGINT, OUT burst_grows_us BIGINT, OUT search_remaining BIGINT, OUT search_grows_us BIGINT
  ) LANGUAGE plpgsql AS $$
  DECLARE
    is_shared CONSTANT BOOLEAN := burst_limits[2] IS NOT NULL OR search_limits[2] IS NOT NULL;
    ${declarations("own")}
    ${declarations("shared")}
    moment BIGINT;
    at_us BIGINT;
    request_wait_us BIGINT;
  BEGIN
    IF is_good IS NOT TRUE THEN RETURN; END IF;
    ${readOrInsert("own", "ids[1]")}
    IF is_shared THEN ${readOrInsert("shared", "ids[2]")} END IF;
    moment := greatest(now_us(), own_latest_us, shared_latest_us);
    ${countUsed("own_burst", burst)}
    ${countUsed("own_search", search)}
    IF is_shared THEN
      ${countUsed("shared_burst", burst)}
      ${countUsed("shared_search", search)}
    END IF;
    IF takes_burst THEN
      ${computeWait(burst)}
      allowed := wait_us <= most_wait_us;
      request_wait_us := wait_us;
      IF allowed THEN ${forEachLog(burst, (log, limit) => addCall(log, burst, limit))} END IF;
    END IF;
    IF takes_search AND coalesce(request_wait_us, 0) = 0 THEN
      ${computeWait(search)}
      IF NOT takes_burst THEN allowed := wait_us = 0; END IF;
      IF wait_us = 0 THEN
        ${forEachLog(
          search,
          (log, limit) => `${addCall(log, search, limit)}
        search_us := greatest(search_us, at_us);`,
        )}
      END IF;
    END IF;
    wait_us := coalesce(request_wait_us, wait_us);
    IF allowed THEN
      ${write("own", "ids[1]")}
      IF is_shared THEN ${write("shared", "ids[2]")} END IF;
    END IF;
    ${report(burst)}
    ${report(search)}
  END $$;

  CREATE FUNCTION note_failed_key(of_group TEXT, of_hash TEXT, most BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(of_group, 1));
    DELETE FROM failed_key WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM failed_key WHERE at_us + 60000000 <= now_us() ORDER BY at_us LIMIT 10 FOR UPDATE SKIP LOCKED));
    IF (SELECT count(*) FROM failed_key WHERE address_group = of_group AND at_us + 60000000 > now_us()) >= most THEN
      RETURN;
    END IF;
    INSERT INTO failed_key AS known VALUES(of_group, of_hash, now_us())
      ON CONFLICT(address_group, hash) DO UPDATE SET at_us = excluded.at_us
        WHERE known.at_us + 60000000 <= excluded.at_us;
  END $$;

  CREATE FUNCTION give_back_search(ids TEXT[], of_us BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
  DECLARE
    log rate;
    found_at INT;
  BEGIN
    FOR i IN 1 .. cardinality(ids) LOOP
      SELECT * INTO log FROM rate WHERE id = ids[i] FOR UPDATE;
      -- Rounded up, if its limit is high.
      found_at := width_bucket(of_us - 1, log.search_times) + 1;
      CONTINUE WHEN NOT FOUND OR found_at > cardinality(log.search_times);
      FOR later IN found_at .. cardinality(log.search_totals) LOOP
        log.search_totals[later] := log.search_totals[later] - 1;
      END LOOP;
      IF log.search_totals[found_at] = log.search_totals[found_at - 1] THEN
        log.search_times := log.search_times[: found_at - 1] || log.search_times[found_at + 1 :];
        log.search_totals := log.search_totals[: found_at - 1] || log.search_totals[found_at + 1 :];
      END IF;
      UPDATE rate SET search_times = log.search_times, search_totals = log.search_totals WHERE id = ids[i];
    END LOOP;
  END $$;
`;
