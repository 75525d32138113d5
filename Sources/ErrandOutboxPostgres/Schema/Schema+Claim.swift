#if Postgres
  extension Schema {
    /// The check that is part of each claim. Later versions must keep this function, because running workers call it.
    static let knowing = """
      -- Returns `me`, unless a migration that the program does not know has made the schema incompatible with it: a
      -- worker would otherwise claim requests that it cannot read.
      CREATE FUNCTION errand.check_version(me integer, known integer) RETURNS integer
      LANGUAGE plpgsql VOLATILE \(pinned) AS $$
      DECLARE
        needed integer := (SELECT max(compatible) FROM errand.migrations);
      BEGIN
        IF needed > known THEN
          RAISE EXCEPTION 'its schema is for programs from version % on, and this one knows %', needed, known
            USING ERRCODE = '\(PostgresFailure.tooNew)';
        END IF;
        RETURN me;
      END $$;
      """

    /// Functions that claim requests. Rows are locked after their lanes, and rows that others have locked are
    /// skipped. Thus no claim waits for another.
    static let claiming = """
      -- Claims requests. Answers: 1 what was claimed, 2 what has expired, 3 what was recovered, 4 a dead
      -- letter, 5 an origin that is held, 6 at last the milliseconds until there may be more (null for
      -- never), with the ticks as `number`.
      CREATE FUNCTION errand.claim(
        at bigint[], me integer, most bigint, names text[], rooms bigint[], per_other bigint, others bigint,
        max_attempts bigint, backoff bigint, max_backoff bigint, lease bigint
      ) RETURNS TABLE(what integer, place bigint, r errand.requests, name text, number bigint)
      LANGUAGE plpgsql \(pinned) \(planning) AS $$
      #variable_conflict use_column
      DECLARE
        now_wall bigint := coalesce(at[2], errand.wall());
        now_ticks bigint := coalesce(at[1], errand.ticks());
        held text[];
        chosen errand.choice;
        is_paused boolean := (SELECT paused FROM errand.state);
        has_more boolean := false;
        is_contended boolean;
        leases record;
        next bigint;
        began timestamptz := clock_timestamp();
      BEGIN
        PERFORM errand.be_durable();
        PERFORM errand.live(at, me);
        IF at[2] IS NULL AND NOT is_paused AND errand.walk() IS NOT NULL THEN
          SELECT coalesce(array_agg(origin), '{}') INTO held FROM errand.origins;
          chosen := errand.choose_behind(now_ticks, most, names, rooms, per_other, others, held, max_attempts);
          IF chosen.seqs IS NOT NULL THEN
            RETURN QUERY SELECT 5, NULL::bigint, NULL::errand.requests, h, 0::bigint FROM unnest(held) h;
            RETURN QUERY SELECT * FROM errand.take(now_ticks, now_wall, me, chosen.seqs, max_attempts, lease);
            RETURN QUERY SELECT 6, 0::bigint, NULL::errand.requests, NULL::text, now_ticks;
            RETURN;
          END IF;
        END IF;
        leases := errand.leases(at, now_ticks, me);
        IF leases.has_lost THEN
          RETURN QUERY SELECT 3, NULL::bigint, x, NULL::text, 0::bigint
            FROM errand.recover(at, now_ticks, now_wall, me, backoff, max_backoff) x;
          leases := errand.leases(at, now_ticks, me);
        END IF;
        RETURN QUERY SELECT 2, NULL::bigint, x, NULL::text, 0::bigint
          FROM errand.expire(now_ticks, now_wall, me) x;
        UPDATE errand.requests SET due = 0, offline = false WHERE seq IN (
          SELECT seq FROM errand.requests WHERE state = 0 AND place = 1 AND due > 0 AND due <= now_ticks
          ORDER BY due LIMIT 500 FOR UPDATE SKIP LOCKED);
        -- Those whom another admits right now are ready a moment later.
        is_contended := NOT errand.admit();
        DELETE FROM errand.origins WHERE until <= now_ticks;
        SELECT coalesce(array_agg(origin), '{}') INTO held FROM errand.origins;
        RETURN QUERY SELECT 5, NULL::bigint, NULL::errand.requests, h, 0::bigint FROM unnest(held) h;

        IF NOT is_paused THEN
          chosen := errand.choose(now_ticks, most, names, rooms, per_other, others, held);
          has_more := chosen.is_more;
          is_contended := is_contended OR chosen.is_contended;
          IF max_attempts IS NOT NULL THEN
            RETURN QUERY SELECT 4, NULL::bigint, x, NULL::text, 0::bigint
              FROM errand.give_up(now_wall, me, chosen.seqs, max_attempts) x;
            -- What was not claimed after all leaves room for another.
            has_more := has_more OR FOUND;
          END IF;
          RETURN QUERY SELECT * FROM errand.take(now_ticks, now_wall, me, chosen.seqs, max_attempts, lease);
          IF FOUND THEN leases.next_end := least(leases.next_end, now_ticks + claim.lease); END IF;
        END IF;
        IF at[2] IS NULL THEN PERFORM errand.note_walk(now_ticks, clock_timestamp() - began, chosen.seqs, has_more); END IF;
        IF has_more THEN
          next := 0;
        ELSE
          next := least(errand.next_claim(now_ticks, is_paused), leases.next_end - now_ticks,
            CASE WHEN is_contended AND NOT is_paused THEN 10 END);
          IF next < 0 THEN next := 0; END IF;
        END IF;
        RETURN QUERY SELECT 6, next, NULL::errand.requests, NULL::text, now_ticks;
      END $$;

      -- Leases chosen requests to this owner. They are locked.
      CREATE FUNCTION errand.take(
        now_ticks bigint, now_wall bigint, me integer, chosen bigint[], max_attempts bigint, lease bigint
      ) RETURNS TABLE(what integer, place bigint, r errand.requests, name text, number bigint)
      LANGUAGE plpgsql \(planning) AS $$
      #variable_conflict use_column
      BEGIN
        RETURN QUERY
          WITH taken AS (
            UPDATE errand.requests q SET state = 1, owner = me, lease = q.lease + 1,
              lease_end = now_ticks + take.lease, begun = false, attempts = attempts + 1,
              counted = counted + 1, changed = now_wall, revision = revision + 1
            WHERE q.seq = ANY(chosen) AND q.state = 0
              AND (max_attempts IS NULL OR q.counted < max_attempts)
            RETURNING q.*
          ), counted AS (
            SELECT errand.tally(me, 0, -count(*), -sum(size)::bigint, false),
              errand.tally(me, 1, count(*), sum(size)::bigint, false) FROM taken HAVING count(*) > 0
          )
          SELECT 1, t.expires - now_ticks, ROW(t.*)::errand.requests, NULL::text, 0::bigint
          FROM taken t, (SELECT count(*) FROM counted) c ORDER BY t.priority DESC, t.seq;
      END $$;

      -- Whether requests may be taken from their workers, and when the next one may.
      CREATE FUNCTION errand.leases(
        at bigint[], now_ticks bigint, me integer, OUT has_lost boolean, OUT next_end bigint
      ) LANGUAGE plpgsql \(planning) AS $$
      DECLARE
        pulse bigint := errand.pulse(at);
      BEGIN
        -- The first lease of an owner to end is the first of its requests that may be taken.
        SELECT min(errand.free_from(now_ticks, pulse, at[3], me, f.owner, f.lease_end, w)) INTO next_end
          FROM (SELECT owner, min(lease_end) AS lease_end FROM errand.requests WHERE state = 1 GROUP BY owner) f
          LEFT JOIN errand.workers w ON w.id = f.owner;
        has_lost := next_end <= now_ticks;
      END $$;

      -- The milliseconds until a claim may find more, but for leases.
      CREATE FUNCTION errand.next_claim(ticks bigint, is_paused boolean) RETURNS bigint
      LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        RETURN (SELECT min(t) FROM (
          SELECT (SELECT expires FROM errand.requests WHERE state = 0 AND expires IS NOT NULL
            ORDER BY expires LIMIT 1) - ticks AS t
          UNION ALL SELECT (SELECT due FROM errand.requests WHERE state = 0 AND place = 1 AND due > 0
            ORDER BY due LIMIT 1) - ticks WHERE NOT is_paused
          UNION ALL SELECT min(until) - ticks FROM errand.origins WHERE NOT is_paused
        ) times);
      END $$;
      """
  }
#endif
