/**
 * Rates that hold over all processes. A row is the sliding log of a key (or of `account <id>`) and a policy: the times of
 * calls that still count, microseconds of the server's clock, oldest first, and how many calls each stands for. Up to `exact_limit`
 * calls each has its own time; above, times are rounded up to a 64th of the window, which admits a call later but never earlier.
 *
 * `take_rates` locks the rows, and takes one call from all of them if each has room within `most_wait_us`; `is_taken` false only
 * reports. `take_turn` takes from one policy and reports both. Rates need no sync: the commit of an accepted job syncs what was written before it.
 */
export const rateFunctions = `
  CREATE TABLE rate(
    id TEXT COLLATE "C" NOT NULL,
    policy TEXT COLLATE "C" NOT NULL,
    times BIGINT[] NOT NULL,
    counts BIGINT[] NOT NULL,
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

  CREATE FUNCTION time_to_fall(log rate, excess BIGINT, window_us BIGINT, moment BIGINT) RETURNS BIGINT
  LANGUAGE plpgsql IMMUTABLE AS $$
  DECLARE
    passed BIGINT := 0;
  BEGIN
    IF excess < 0 THEN RETURN 0; END IF;
    FOR i IN 1 .. cardinality(log.times) LOOP
      passed := passed + log.counts[i];
      IF passed > excess THEN RETURN log.times[i] + window_us - moment; END IF;
    END LOOP;
    RETURN 0;
  END $$;

  CREATE FUNCTION take_rates(
    ids TEXT[], of_policy TEXT, limits BIGINT[], window_us BIGINT, most_wait_us BIGINT, is_taken BOOLEAN,
    OUT allowed BOOLEAN, OUT wait_us BIGINT, OUT counted_us BIGINT, OUT remaining BIGINT, OUT grows_us BIGINT
  ) LANGUAGE plpgsql AS $$
  DECLARE
    exact_limit CONSTANT BIGINT := 64;
    logs rate[] := '{}';
    log rate;
    moment BIGINT;
    kept INT;
    used BIGINT[] := '{}';
    own_wait BIGINT;
    left_over BIGINT;
    at_us BIGINT;
    own_remaining BIGINT;
    own_grows BIGINT;
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    FOR i IN 1 .. cardinality(ids) LOOP
      log := ROW(ids[i], of_policy, '{}', '{}', 0);
      IF limits[i] IS NULL THEN
        logs := logs || log;
        CONTINUE;
      END IF;
      IF is_taken THEN
        INSERT INTO rate SELECT log.* WHERE NOT EXISTS (SELECT 1 FROM rate WHERE id = ids[i] AND policy = of_policy)
          ON CONFLICT DO NOTHING;
        SELECT * INTO log FROM rate WHERE id = ids[i] AND policy = of_policy FOR UPDATE;
      ELSE
        SELECT * INTO log FROM rate WHERE id = ids[i] AND policy = of_policy;
        IF NOT FOUND THEN log := ROW(ids[i], of_policy, '{}', '{}', 0); END IF;
      END IF;
      logs := logs || log;
    END LOOP;
    moment := now_us();
    FOR i IN 1 .. cardinality(ids) LOOP
      moment := greatest(moment, logs[i].latest_us);
    END LOOP;

    wait_us := 0;
    FOR i IN 1 .. cardinality(ids) LOOP
      CONTINUE WHEN limits[i] IS NULL;
      log := logs[i];
      kept := 1;
      WHILE kept <= cardinality(log.times) AND log.times[kept] + window_us <= moment LOOP kept := kept + 1; END LOOP;
      log.times := log.times[kept :];
      log.counts := log.counts[kept :];
      logs[i] := log;
      used[i] := coalesce((SELECT sum(n) FROM unnest(log.counts) AS n), 0);
      own_wait := time_to_fall(log, used[i] - limits[i], window_us, moment);
      wait_us := greatest(wait_us, own_wait);
    END LOOP;

    allowed := wait_us <= most_wait_us;
    counted_us := moment;
    remaining := NULL;
    FOR i IN 1 .. cardinality(ids) LOOP
      CONTINUE WHEN limits[i] IS NULL;
      log := logs[i];
      IF allowed AND is_taken THEN
        at_us := moment + wait_us;
        IF limits[i] > exact_limit THEN
          at_us := ((at_us + window_us / 64 - 1) / (window_us / 64)) * (window_us / 64);
        END IF;
        at_us := greatest(at_us, coalesce(log.times[cardinality(log.times)], 0));
        counted_us := greatest(counted_us, at_us);
        IF log.times[cardinality(log.times)] = at_us THEN
          log.counts[cardinality(log.counts)] := log.counts[cardinality(log.counts)] + 1;
        ELSE
          log.times := log.times || at_us;
          log.counts := log.counts || 1::BIGINT;
        END IF;
        used[i] := used[i] + 1;
        UPDATE rate SET times = log.times, counts = log.counts, latest_us = moment
          WHERE id = ids[i] AND policy = of_policy;
      END IF;
      own_remaining := greatest(0, limits[i] - used[i]);
      left_over := greatest(0, used[i] - limits[i]);
      own_grows := CASE WHEN used[i] = 0 THEN 0 ELSE time_to_fall(log, left_over, window_us, moment) END;
      IF remaining IS NULL OR own_remaining < remaining THEN
        remaining := own_remaining;
        grows_us := own_grows;
      ELSIF own_remaining = remaining THEN
        grows_us := greatest(grows_us, own_grows);
      END IF;
    END LOOP;
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

  CREATE FUNCTION blocked_us(of_group TEXT, most BIGINT) RETURNS BIGINT LANGUAGE sql VOLATILE AS $$
    SELECT CASE WHEN count(*) < most THEN 0 ELSE greatest(0, min(at_us) + 60000000 - now_us()) END
    FROM failed_key WHERE address_group = of_group AND at_us + 60000000 > now_us()
  $$;

  CREATE FUNCTION note_failed_key(of_group TEXT, of_hash TEXT, most BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
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
    PERFORM set_config('synchronous_commit', 'off', true);
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
      UPDATE rate SET times = log.times, counts = log.counts WHERE id = ids[i] AND policy = of_policy;
    END LOOP;
  END $$;
`;
