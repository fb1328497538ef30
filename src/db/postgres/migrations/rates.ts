/**
 * Rates shared by all processes. A row is the sliding log of a key (or of `account <id>`) and a
 * policy: the times of calls that still count, microseconds of the server's clock, oldest first,
 * and how many calls each represents (`used` in all). Up to `exact_limit` calls each has its own
 * time; above, times are rounded up to a 64th of the window, which admits a call later but never
 * earlier.
 *
 * `take_rates` locks the rows, and takes one call from all of them if each has room within
 * `most_wait_us`; `is_taken` false only reports. `take_turn` takes from one policy and reports
 * both. Rates need no sync: the commit of an accepted job syncs what was written before it.
 */
export const rateFunctions = `
  CREATE TABLE rate(
    id TEXT COLLATE "C" NOT NULL,
    policy TEXT COLLATE "C" NOT NULL,
    times BIGINT[] NOT NULL,
    counts BIGINT[] NOT NULL,
    used BIGINT NOT NULL,
    latest_us BIGINT NOT NULL,
    PRIMARY KEY(id, policy)
  ) WITH (fillfactor = 50);

  CREATE TABLE failed_key(
    address_group TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    at_us BIGINT NOT NULL,
    PRIMARY KEY(address_group, hash)
  );

  CREATE FUNCTION now_us() RETURNS BIGINT LANGUAGE sql VOLATILE
    AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::BIGINT $$;

  CREATE FUNCTION read_rate(of_id TEXT, of_policy TEXT, is_taken BOOLEAN) RETURNS rate LANGUAGE plpgsql AS $$
  DECLARE
    log rate;
  BEGIN
    IF is_taken THEN
      SELECT * INTO log FROM rate WHERE id = of_id AND policy = of_policy FOR UPDATE;
      IF FOUND THEN RETURN log; END IF;
      INSERT INTO rate VALUES(of_id, of_policy, '{}', '{}', 0, 0) ON CONFLICT DO NOTHING;
      SELECT * INTO log FROM rate WHERE id = of_id AND policy = of_policy FOR UPDATE;
      RETURN log;
    END IF;
    SELECT * INTO log FROM rate WHERE id = of_id AND policy = of_policy;
    IF FOUND THEN RETURN log; END IF;
    RETURN ROW(of_id, of_policy, '{}', '{}', 0, 0)::rate;
  END $$;

  CREATE FUNCTION without_old(log rate, window_us BIGINT, moment BIGINT) RETURNS rate LANGUAGE plpgsql IMMUTABLE AS $$
  DECLARE
    times BIGINT[] := log.times;
    counts BIGINT[] := log.counts;
    kept INT := 1;
    gone BIGINT := 0;
  BEGIN
    WHILE times[kept] + window_us <= moment LOOP
      gone := gone + counts[kept];
      kept := kept + 1;
    END LOOP;
    IF kept = 1 THEN RETURN log; END IF;
    RETURN ROW(log.id, log.policy, times[kept :], counts[kept :], log.used - gone, log.latest_us)::rate;
  END $$;

  CREATE FUNCTION time_to_fall(log rate, excess BIGINT, window_us BIGINT, moment BIGINT) RETURNS BIGINT
  LANGUAGE plpgsql IMMUTABLE AS $$
  DECLARE
    times BIGINT[] := log.times;
    counts BIGINT[] := log.counts;
    passed BIGINT := 0;
  BEGIN
    IF excess < 0 THEN RETURN 0; END IF;
    FOR i IN 1 .. cardinality(times) LOOP
      passed := passed + counts[i];
      IF passed > excess THEN RETURN times[i] + window_us - moment; END IF;
    END LOOP;
    RETURN 0;
  END $$;

  CREATE FUNCTION note_call(log rate, of_limit BIGINT, window_us BIGINT, moment BIGINT, wait_us BIGINT) RETURNS rate
  LANGUAGE plpgsql AS $$
  DECLARE
    exact_limit CONSTANT BIGINT := 64;
    step_us CONSTANT BIGINT := window_us / 64;
    times BIGINT[] := log.times;
    counts BIGINT[] := log.counts;
    latest CONSTANT INT := cardinality(times);
    at_us BIGINT := moment + wait_us;
  BEGIN
    IF of_limit > exact_limit THEN at_us := ((at_us + step_us - 1) / step_us) * step_us; END IF;
    at_us := greatest(at_us, times[latest]);
    IF times[latest] = at_us THEN
      counts[latest] := counts[latest] + 1;
    ELSE
      times := times || at_us;
      counts := counts || 1::BIGINT;
    END IF;
    log := ROW(log.id, log.policy, times, counts, log.used + 1, moment);
    UPDATE rate SET times = log.times, counts = log.counts, used = log.used, latest_us = moment
      WHERE id = log.id AND policy = log.policy;
    RETURN log;
  END $$;

  CREATE FUNCTION take_rates(
    ids TEXT[], of_policy TEXT, limits BIGINT[], window_us BIGINT, most_wait_us BIGINT, is_taken BOOLEAN,
    OUT allowed BOOLEAN, OUT wait_us BIGINT, OUT counted_us BIGINT, OUT remaining BIGINT, OUT grows_us BIGINT
  ) LANGUAGE plpgsql AS $$
  DECLARE
    own rate := read_rate(ids[1], of_policy, is_taken);
    shared rate;
    is_shared CONSTANT BOOLEAN := limits[2] IS NOT NULL;
    moment BIGINT;
    shared_remaining BIGINT;
    shared_grows BIGINT;
  BEGIN
    IF is_shared THEN shared := read_rate(ids[2], of_policy, is_taken); END IF;
    moment := greatest(now_us(), own.latest_us, shared.latest_us);
    own := without_old(own, window_us, moment);
    wait_us := time_to_fall(own, own.used - limits[1], window_us, moment);
    IF is_shared THEN
      shared := without_old(shared, window_us, moment);
      wait_us := greatest(wait_us, time_to_fall(shared, shared.used - limits[2], window_us, moment));
    END IF;
    allowed := wait_us <= most_wait_us;
    counted_us := moment;
    IF allowed AND is_taken THEN
      own := note_call(own, limits[1], window_us, moment, wait_us);
      counted_us := own.times[cardinality(own.times)];
      IF is_shared THEN
        shared := note_call(shared, limits[2], window_us, moment, wait_us);
        counted_us := greatest(counted_us, shared.times[cardinality(shared.times)]);
      END IF;
    END IF;
    remaining := greatest(0, limits[1] - own.used);
    grows_us := time_to_fall(own, greatest(0, own.used - limits[1]), window_us, moment);
    IF NOT is_shared THEN RETURN; END IF;
    shared_remaining := greatest(0, limits[2] - shared.used);
    shared_grows := time_to_fall(shared, greatest(0, shared.used - limits[2]), window_us, moment);
    IF shared_remaining < remaining THEN grows_us := shared_grows; END IF;
    IF shared_remaining = remaining THEN grows_us := greatest(grows_us, shared_grows); END IF;
    remaining := least(remaining, shared_remaining);
  END $$;

  CREATE FUNCTION take_turn(
    is_good BOOLEAN, of_policy TEXT, ids TEXT[], burst_limits BIGINT[], search_limits BIGINT[], most_wait_us BIGINT, is_taken BOOLEAN,
    OUT allowed BOOLEAN, OUT wait_us BIGINT, OUT counted_us BIGINT,
    OUT burst_remaining BIGINT, OUT burst_grows_us BIGINT, OUT search_remaining BIGINT, OUT search_grows_us BIGINT
  ) LANGUAGE plpgsql AS $$
  DECLARE
    burst RECORD;
    search RECORD;
    is_burst CONSTANT BOOLEAN := of_policy = 'burst';
  BEGIN
    IF is_good IS NOT TRUE THEN RETURN; END IF;
    burst := take_rates(ids, 'burst', burst_limits, 1000000, most_wait_us, is_taken AND is_burst);
    search := take_rates(ids, 'search', search_limits, 60000000, most_wait_us, is_taken AND NOT is_burst);
    allowed := CASE WHEN is_burst THEN burst.allowed ELSE search.allowed END;
    wait_us := CASE WHEN is_burst THEN burst.wait_us ELSE search.wait_us END;
    counted_us := CASE WHEN is_burst THEN burst.counted_us ELSE search.counted_us END;
    burst_remaining := burst.remaining;
    burst_grows_us := burst.grows_us;
    search_remaining := search.remaining;
    search_grows_us := search.grows_us;
  END $$;

  CREATE FUNCTION note_failed_key(of_group TEXT, of_hash TEXT, most BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(of_group, 1));
    IF (SELECT count(*) FROM failed_key WHERE address_group = of_group AND at_us + 60000000 > now_us()) >= most THEN
      RETURN;
    END IF;
    INSERT INTO failed_key AS known VALUES(of_group, of_hash, now_us())
      ON CONFLICT(address_group, hash) DO UPDATE SET at_us = excluded.at_us
        WHERE known.at_us + 60000000 <= excluded.at_us;
  END $$;

  CREATE FUNCTION give_back_rate(ids TEXT[], of_policy TEXT, at_us BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
  DECLARE
    log rate;
    found_at INT;
  BEGIN
    FOR i IN 1 .. cardinality(ids) LOOP
      SELECT * INTO log FROM rate WHERE id = ids[i] AND policy = of_policy FOR UPDATE;
      -- Rounded up, if its limit is high.
      SELECT min(n) INTO found_at FROM generate_subscripts(log.times, 1) AS n WHERE log.times[n] >= at_us;
      CONTINUE WHEN found_at IS NULL;
      log.counts[found_at] := log.counts[found_at] - 1;
      IF log.counts[found_at] = 0 THEN
        log.times := log.times[: found_at - 1] || log.times[found_at + 1 :];
        log.counts := log.counts[: found_at - 1] || log.counts[found_at + 1 :];
      END IF;
      UPDATE rate SET times = log.times, counts = log.counts, used = log.used - 1 WHERE id = ids[i] AND policy = of_policy;
    END LOOP;
  END $$;
`;
