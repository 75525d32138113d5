#if Postgres
  extension Schema {
    /// Functions for statistics, for news, and for forgetting requests.
    static let reading = """
      -- What an outbox holds. Answers: 0 a state with its number and bytes, 1 when the oldest was created,
      -- when the next is due, and whether it is held (1) and paused (2), 2 a paused lane, 3 a held origin.
      CREATE FUNCTION errand.statistics()
      RETURNS TABLE(what integer, name text, a bigint, b bigint, c bigint, label bytea, reason text)
      LANGUAGE plpgsql STABLE \(pinned) \(planning) AS $$
      #variable_conflict use_column
      DECLARE
        is_paused boolean := (SELECT paused FROM errand.state);
        held text[] := ARRAY(SELECT origin FROM errand.origins);
        is_ready boolean := false;
        hit text;
        next_due bigint;
        stored bigint;
        attempting bigint;
      BEGIN
        RETURN QUERY SELECT 0, NULL::text, t.state::bigint, t.count, t.bytes, NULL::bytea, NULL::text
          FROM errand.totals() t WHERE t.count > 0;
        RETURN QUERY SELECT 2, coalesce(long_lane, lane), 0::bigint, 0::bigint, 0::bigint, NULL::bytea, NULL::text
          FROM errand.lanes WHERE paused;
        RETURN QUERY SELECT 3, origin, kind::bigint, until_wall, 0::bigint, label, reason FROM errand.origins;
        IF NOT is_paused THEN
          SELECT origin INTO hit FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0
            ORDER BY origin, priority DESC, seq LIMIT 1;
          WHILE hit = ANY(held) LOOP
            SELECT origin INTO hit FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0
              AND origin > hit ORDER BY origin, priority DESC, seq LIMIT 1;
          END LOOP;
          is_ready := hit IS NOT NULL OR EXISTS (
            SELECT FROM errand.arrivals a LEFT JOIN errand.lanes l ON l.lane = a.lane
            WHERE l.head IS NULL AND NOT coalesce(l.paused, false));
          IF NOT is_ready THEN
            next_due := least(
              (SELECT due_wall FROM errand.requests WHERE state = 0 AND place = 1 AND due > 0
                ORDER BY due LIMIT 1),
              (SELECT min(until_wall) FROM errand.origins o WHERE EXISTS (
                SELECT FROM errand.requests q
                WHERE q.state = 0 AND q.place = 1 AND q.due = 0 AND q.origin = o.origin)));
          END IF;
        END IF;
        SELECT coalesce(sum(t.count) FILTER (WHERE t.state = 0), 0),
          coalesce(sum(t.count) FILTER (WHERE t.state = 1), 0) INTO stored, attempting FROM errand.totals() t;
        RETURN QUERY SELECT 1, NULL::text, (SELECT created FROM errand.requests ORDER BY seq LIMIT 1), next_due,
          (stored > 0 AND attempting = 0 AND NOT is_ready AND next_due IS NULL)::integer + is_paused::integer * 2::bigint,
          NULL::bytea, NULL::text;
      END $$;

      -- Adds up the totals, so that reading them stays quick.
      CREATE FUNCTION errand.fold() RETURNS void LANGUAGE plpgsql \(pinned) AS $$
      BEGIN
        IF (SELECT count(*) FROM (SELECT FROM errand.tallies LIMIT 100) t) < 100
          OR NOT errand.lock('fold', false) THEN RETURN; END IF;
        PERFORM set_config('synchronous_commit', 'off', true);
        WITH old AS (DELETE FROM errand.tallies RETURNING *)
        INSERT INTO errand.tallies(owner, state, count, bytes, token)
          SELECT w.id, o.state, sum(o.count), sum(o.bytes), sum(o.token)
          FROM old o LEFT JOIN errand.workers w ON w.id = o.owner GROUP BY w.id, o.state;
      END $$;

      -- A number that changes when others than this owner change something.
      CREATE FUNCTION errand.news(me integer) RETURNS text LANGUAGE plpgsql STABLE \(pinned) AS $$
      BEGIN
        RETURN (SELECT sum(token) FROM errand.tallies WHERE owner IS DISTINCT FROM me);
      END $$;

      -- Wakes the workers, at most every 50 ms. Answers in how many milliseconds to ask again; 0 if they
      -- were woken.
      CREATE FUNCTION errand.wake() RETURNS bigint LANGUAGE plpgsql \(pinned) AS $$
      DECLARE
        last timestamptz;
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        SELECT woken INTO last FROM errand.wakes FOR UPDATE SKIP LOCKED;
        -- Another wakes them right now, after everything that is committed by now.
        IF NOT FOUND THEN RETURN 0; END IF;
        IF last > clock_timestamp() - interval '50 milliseconds' AND last <= clock_timestamp() THEN
          RETURN greatest(1, (extract(epoch FROM last + interval '50 milliseconds' - clock_timestamp()) * 1000)::bigint);
        END IF;
        UPDATE errand.wakes SET woken = clock_timestamp();
        PERFORM errand.fold();
        PERFORM pg_notify('errand_of_errand', '');
        RETURN 0;
      END $$;
      """

    static let forgetting = """
      -- Forgets what ended at this time or before, some thousand at once. Answers the files that belonged
      -- to it, and null at the end if there is more.
      CREATE FUNCTION errand.forget(me integer, until bigint) RETURNS SETOF text
      LANGUAGE plpgsql \(pinned) \(planning) AS $$
      DECLARE
        was bigint;
        upto bigint;
      BEGIN
        PERFORM errand.be_durable();
        PERFORM errand.lock_history();
        was := (SELECT horizon FROM errand.state);
        IF until IS NULL OR until <= was THEN RETURN; END IF;
        upto := least(until, (SELECT ended FROM errand.history WHERE ended > was AND ended <= until
          ORDER BY ended OFFSET 5000 LIMIT 1));
        PERFORM errand.tally(me, g.state, -g.count, -g.bytes, true) FROM (
          SELECT state, count(*) AS count, sum(errand.bytes(state, size, response))::bigint AS bytes
          FROM errand.history WHERE ended > was AND ended <= upto GROUP BY state) g;
        RETURN QUERY WITH unfiled AS (
            DELETE FROM errand.files x USING errand.history h
            WHERE h.ended > was AND h.ended <= upto AND h.files IS NOT NULL AND x.seq = h.seq RETURNING x.name
          ) SELECT name FROM unfiled;
        UPDATE errand.state SET horizon = upto;
        IF upto < until THEN RETURN NEXT NULL; END IF;
      END $$;

      -- When the oldest of what is over ended that have as many bytes together.
      CREATE FUNCTION errand.end_of_bytes(wanted bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
        SELECT coalesce(min(ended) FILTER (WHERE so_far >= wanted), max(ended)) FROM (
          SELECT ended, sum(errand.bytes(state, size, response)) OVER (ORDER BY ended, seq) AS so_far
          FROM errand.history WHERE ended > (SELECT horizon FROM errand.state)) h
      $$;

      -- Removes the days of which everything is forgotten. Answers how many.
      CREATE FUNCTION errand.drop_days() RETURNS bigint LANGUAGE plpgsql \(pinned) SET lock_timeout = '300ms' AS $$
      DECLARE
        d bigint;
        dropped bigint := 0;
      BEGIN
        FOR d IN SELECT day FROM errand.days
          WHERE (day + 1) * 86400000 <= (SELECT horizon FROM errand.state)
            AND day < floor(errand.wall() / 86400000.0) ORDER BY day LOOP
          EXECUTE format('DROP TABLE errand.%I',
            'history_' || to_char(to_timestamp(d * 86400) AT TIME ZONE 'UTC', 'YYYYMMDD'));
          DELETE FROM errand.days WHERE day = d;
          dropped := dropped + 1;
        END LOOP;
        RETURN dropped;
      END $$;
      """
  }
#endif
