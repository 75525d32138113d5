#if Postgres
  extension Schema {
    /// The caps, and the numbers that they limit.
    static let caps = """
      -- Whether the caps are so far that nothing has to wait. At most 16 transactions at once find that, each with a slot
      -- of its own, and together they add at most half of the caps to a first half.
      CREATE FUNCTION errand.is_far_from(
        most_count bigint, most_bytes bigint, me integer, count bigint, bytes bigint
      ) RETURNS boolean LANGUAGE plpgsql AS $$
      BEGIN
        IF count > most_count / 32 OR bytes > most_bytes / 32 OR NOT errand.is_half_empty(most_count, most_bytes) THEN
          RETURN false;
        END IF;
        FOR slot IN 0..15 LOOP
          IF errand.lock('caps ' || (coalesce(me, 0) + slot) % 16, false) THEN
            -- Looked at again: all that had the slot before is counted. It cannot wait for the others now, so it
            -- begins anew.
            IF NOT errand.is_half_empty(most_count, most_bytes) THEN PERFORM errand.begin_anew(); END IF;
            RETURN true;
          END IF;
        END LOOP;
        RETURN false;
      END $$;

      CREATE FUNCTION errand.is_half_empty(most_count bigint, most_bytes bigint) RETURNS boolean
      LANGUAGE plpgsql AS $$
      DECLARE
        had record := errand.usage();
      BEGIN
        RETURN coalesce(had.count <= most_count / 2, true)
          AND coalesce(had.bytes + had.over <= most_bytes / 2, true);
      END $$;

      -- Waits for all that add, in one order.
      CREATE FUNCTION errand.wait_for_caps() RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        FOR slot IN 0..15 LOOP PERFORM errand.lock('caps ' || slot, true); END LOOP;
      END $$;

      -- Undoes the transaction. The store sends its statement again.
      CREATE FUNCTION errand.begin_anew() RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'others were quicker' USING ERRCODE = '40001';
      END $$;

      -- A request that is stored is on the disk, whatever the database's or the role's setting.
      CREATE FUNCTION errand.be_durable() RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        IF current_setting('synchronous_commit') = 'off' THEN
          PERFORM set_config('synchronous_commit', 'on', true);
        END IF;
      END $$;

      -- What the caps limit: open requests and dead letters, and the bytes of what is over beside them.
      CREATE FUNCTION errand.usage(OUT count bigint, OUT bytes bigint, OUT over bigint)
      LANGUAGE plpgsql STABLE AS $$
      BEGIN
        SELECT coalesce(sum(t.count) FILTER (WHERE t.state IN (0, 1, 3)), 0),
          coalesce(sum(t.bytes) FILTER (WHERE t.state IN (0, 1, 3)), 0),
          coalesce(sum(t.bytes) FILTER (WHERE t.state IN (2, 4, 5)), 0)
          INTO count, bytes, over FROM errand.tallies t;
      END $$;
      """

    /// Makes room, by the caps. It is slow, and runs only when an outbox is full.
    static let makingRoom = """
      CREATE FUNCTION errand.make_room(
        at bigint[], me integer, most_count bigint, most_bytes bigint, rule integer, ids text[],
        priorities bigint[], sizes bigint[]
      ) RETURNS TABLE(what integer, place bigint, r errand.requests, file text)
      LANGUAGE plpgsql \(planning) AS $$
      DECLARE
        had record;
        was record;
        new record;
        victim errand.requests;
        taken_count bigint := 0;
        taken_bytes bigint := 0;
        last bigint := (SELECT last_value FROM errand.places);
      BEGIN
        PERFORM errand.lock_history();
        FOR new IN SELECT * FROM unnest(ids, priorities, sizes) n(id, priority, size) LOOP
          LOOP
            had := errand.usage();
            had.count := had.count + taken_count;
            had.bytes := had.bytes + taken_bytes;
            EXIT WHEN (most_count IS NULL OR had.count < most_count)
              AND (most_bytes IS NULL OR had.bytes + had.over + new.size <= most_bytes);
            EXIT WHEN EXISTS (SELECT FROM errand.everything e WHERE e.id = new.id);
            IF most_count <= 0 OR new.size > most_bytes THEN PERFORM errand.refuse(had.count, had.bytes); END IF;
            -- What is over never keeps anything out.
            IF had.bytes + had.over + new.size > most_bytes AND had.over > 0 THEN
              RETURN QUERY SELECT 3, 0::bigint, NULL::errand.requests, f
                FROM errand.forget(me, errand.end_of_bytes(had.bytes + had.over + new.size - most_bytes)) f;
              was := errand.usage();
              CONTINUE WHEN was.over < had.over;
            END IF;
            IF rule = 0 THEN PERFORM errand.refuse(had.count, had.bytes); END IF;
            SELECT v.* INTO victim FROM (
              SELECT * FROM errand.requests WHERE state = 0 AND seq <= last
              UNION ALL SELECT * FROM errand.dead WHERE seq <= last
            ) v WHERE rule = 1 OR v.priority <= new.priority
            ORDER BY CASE WHEN rule = 1 THEN 0 ELSE v.priority END, v.seq LIMIT 1;
            IF NOT FOUND THEN PERFORM errand.refuse(had.count, had.bytes); END IF;
            -- Lanes come before the history everywhere else. If another has this one, it may wait for the history.
            IF victim.lane IS NOT NULL THEN
              INSERT INTO errand.lanes(lane) VALUES (victim.lane) ON CONFLICT DO NOTHING;
              IF errand.lock_lanes(ARRAY[victim.lane], false) = '{}' THEN PERFORM errand.begin_anew(); END IF;
            END IF;
            RETURN QUERY SELECT CASE WHEN d.file IS NULL THEN 1 ELSE 3 END, 0::bigint, d.r, d.file
              FROM errand.drop_these(at, me, ARRAY[victim.seq],
                'it was dropped to make room for newer requests') d;
          END LOOP;
          taken_count := taken_count + 1;
          taken_bytes := taken_bytes + new.size;
        END LOOP;
      END $$;

      -- Fails, with what is needed for a sentence.
      CREATE FUNCTION errand.refuse(count bigint, bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '%', format('%s|%s', count, bytes) USING ERRCODE = 'ER001';
      END $$;
      """
  }
#endif
