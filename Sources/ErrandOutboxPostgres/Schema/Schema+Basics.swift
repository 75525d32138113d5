#if Postgres
  extension Schema {
    /// Totals, lanes and days, which the other functions use.
    static let basics = """
      -- The bytes that a request counts as.
      CREATE FUNCTION errand.bytes(state integer, size bigint, response bytea) RETURNS bigint
      LANGUAGE sql IMMUTABLE AS $$
        SELECT CASE state
          WHEN 0 THEN size WHEN 1 THEN size
          WHEN 3 THEN size + coalesce(octet_length(response), 0)
          WHEN 2 THEN 512 + coalesce(octet_length(response), 0)
          WHEN 4 THEN 512 + size
          ELSE 512 END
      $$;

      -- Adds to the totals.
      CREATE FUNCTION errand.tally(me integer, state integer, count bigint, bytes bigint, is_news boolean)
      RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        IF count <> 0 OR bytes <> 0 OR is_news THEN
          INSERT INTO errand.tallies(owner, state, count, bytes, token)
            VALUES (me, state, count, bytes, CASE WHEN is_news THEN nextval('errand.tokens') ELSE 0 END);
        END IF;
      END $$;

      CREATE FUNCTION errand.totals(OUT state smallint, OUT count bigint, OUT bytes bigint) RETURNS SETOF record
      LANGUAGE sql STABLE AS $$
        SELECT state, sum(count)::bigint, sum(bytes)::bigint FROM errand.tallies GROUP BY state
      $$;

      -- Makes the partition of the day on which requests end.
      CREATE FUNCTION errand.make_day(at bigint) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        d bigint := floor(at / 86400000.0);
        name text;
      BEGIN
        IF EXISTS (SELECT FROM errand.days WHERE day = d) THEN RETURN; END IF;
        name := 'history_' || to_char(to_timestamp(d * 86400) AT TIME ZONE 'UTC', 'YYYYMMDD');
        PERFORM errand.lock('days', true);
        IF EXISTS (SELECT FROM errand.days WHERE day = d) THEN RETURN; END IF;
        EXECUTE format('CREATE TABLE errand.%I (LIKE errand.history INCLUDING DEFAULTS)', name);
        EXECUTE format('ALTER TABLE errand.%I SET (toast_tuple_target = 1024)', name);
        EXECUTE format('ALTER TABLE errand.history ATTACH PARTITION errand.%I FOR VALUES FROM (%s) TO (%s)',
          name, d * 86400000, (d + 1) * 86400000);
        INSERT INTO errand.days VALUES (d);
      END $$;

      -- Returns when something ends that ends now, and makes the day's partition: later than what is
      -- forgotten, even if the clock was set back.
      CREATE FUNCTION errand.end_time(at bigint) RETURNS bigint LANGUAGE plpgsql AS $$
      DECLARE
        ended bigint := greatest(at, (SELECT horizon + 1 FROM errand.state));
      BEGIN
        PERFORM errand.make_day(ended);
        RETURN ended;
      END $$;

      -- Locks lanes, in their order, so that nothing waits in a circle. To be called before their requests
      -- are locked. Returns those that are locked: with `waits`, all.
      CREATE FUNCTION errand.lock_lanes(wanted text[], waits boolean) RETURNS text[] LANGUAGE plpgsql AS $$
      DECLARE hit text[];
      BEGIN
        IF wanted IS NULL THEN RETURN '{}'; END IF;
        LOOP
          IF waits THEN
            SELECT array_agg(l.lane) INTO hit FROM (
              SELECT lane FROM errand.lanes WHERE lane = ANY(wanted) ORDER BY lane FOR UPDATE) l;
          ELSE
            SELECT array_agg(l.lane) INTO hit FROM (
              SELECT lane FROM errand.lanes WHERE lane = ANY(wanted) ORDER BY lane FOR UPDATE SKIP LOCKED) l;
          END IF;
          hit := coalesce(hit, '{}');
          EXIT WHEN NOT waits OR cardinality(hit) = (SELECT count(DISTINCT w) FROM unnest(wanted) w);
          -- A lane that has no row yet, or whose row was removed while this waited.
          INSERT INTO errand.lanes(lane)
            SELECT DISTINCT w FROM unnest(wanted) w ORDER BY 1 ON CONFLICT DO NOTHING;
        END LOOP;
        RETURN hit;
      END $$;

      -- Makes the first of each lane its head. The lanes must be locked. A head that is being attempted stays
      -- the head, even if an earlier request has come back.
      CREATE FUNCTION errand.settle(wanted text[]) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        l record;
        first bigint;
        blocking bigint;
        changed integer;
      BEGIN
        IF coalesce(cardinality(wanted), 0) = 0 THEN RETURN; END IF;
        FOR l IN SELECT * FROM errand.lanes WHERE lane = ANY(wanted) LOOP
          SELECT seq INTO first FROM errand.requests WHERE lane = l.lane ORDER BY seq LIMIT 1;
          SELECT seq INTO blocking FROM errand.dead WHERE lane = l.lane AND holds ORDER BY seq LIMIT 1;
          IF l.head IS NOT NULL AND l.head IS DISTINCT FROM least(first, blocking) THEN
            -- Waits for a claim of the head that is under way.
            UPDATE errand.requests SET place = 0 WHERE seq = l.head AND state = 0;
            GET DIAGNOSTICS changed = ROW_COUNT;
            CONTINUE WHEN changed = 0 AND EXISTS (SELECT FROM errand.requests WHERE seq = l.head);
          END IF;
          IF first < blocking OR blocking IS NULL THEN
            UPDATE errand.requests SET place = CASE WHEN l.paused THEN 2 ELSE 1 END
            WHERE seq = first AND place = 0;
          END IF;
          IF l.head IS DISTINCT FROM least(first, blocking) THEN
            UPDATE errand.lanes SET head = least(first, blocking) WHERE lane = l.lane;
          END IF;
        END LOOP;
      END $$;

      -- Settles lanes to which something was added. Lanes that are locked are left for the next call.
      -- Answers false if some are left, or another settles them right now.
      CREATE FUNCTION errand.admit() RETURNS boolean LANGUAGE plpgsql AS $$
      DECLARE
        wanted text[];
        locked text[];
      BEGIN
        SELECT array_agg(DISTINCT lane) INTO wanted FROM (SELECT lane FROM errand.arrivals LIMIT 1000) a;
        IF wanted IS NULL THEN RETURN true; END IF;
        IF NOT errand.lock('arrivals', false) THEN
          RETURN false;
        END IF;
        INSERT INTO errand.lanes(lane) SELECT w FROM unnest(wanted) w ORDER BY 1 ON CONFLICT DO NOTHING;
        locked := errand.lock_lanes(wanted, false);
        -- What is added to a locked lane after this has an arrival of its own.
        DELETE FROM errand.arrivals WHERE lane = ANY(locked);
        PERFORM errand.settle(locked);
        RETURN NOT EXISTS (SELECT FROM errand.arrivals);
      END $$;
      """
  }
#endif
