#if Postgres
  extension Schema {
    /// Functions for claiming while a transaction holds its snapshot open. Rows that were delivered since
    /// that snapshot stay in the indexes, before the rows that are ready, and each claim would scan them.
    /// Therefore claims of this connection begin behind the rows that the last claim found, and one claim
    /// each second scans everything.
    static let choosingBehind = """
      -- The setting of the session that says behind what to begin: until when, and a seq for each priority.
      CREATE FUNCTION errand.walk() RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        RETURN nullif(current_setting('errand_of_errand.walk', true), '')::jsonb;
      END $$;

      -- Chooses requests behind what was found before, and locks them. Answers null if this is not the time for it, or
      -- if they are fewer than wanted.
      CREATE FUNCTION errand.choose_behind(
        now_ticks bigint, most bigint, names text[], rooms bigint[], per_other bigint, others bigint, held text[],
        max_attempts bigint
      ) RETURNS errand.choice LANGUAGE plpgsql \(planning) AS $$
      DECLARE
        walk jsonb := errand.walk();
        chosen errand.choice;
        seqs bigint[] := '{}';
        more bigint[];
      BEGIN
        IF most <= 0 OR most > 100000 OR coalesce((walk ->> 'until')::bigint, 0) <= now_ticks THEN RETURN NULL; END IF;
        FOR p IN REVERSE 3..0 LOOP
          more := ARRAY(
            SELECT seq FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0 AND priority = p
              AND seq > (walk ->> p::text)::bigint AND (expires IS NULL OR expires > now_ticks)
              AND (max_attempts IS NULL OR counted < max_attempts)
            ORDER BY seq LIMIT most - cardinality(seqs) FOR UPDATE SKIP LOCKED);
          IF cardinality(more) > 0 THEN
            seqs := seqs || more;
            walk := jsonb_set(walk, ARRAY[p::text], to_jsonb(more[cardinality(more)]));
          END IF;
          EXIT WHEN cardinality(seqs) = most;
        END LOOP;
        chosen := errand.fit(seqs, most, names, rooms, per_other, others, held);
        IF cardinality(seqs) < most OR cardinality(chosen.seqs) < most THEN RETURN NULL; END IF;
        PERFORM set_config('errand_of_errand.walk', walk::text, false);
        RETURN chosen;
      END $$;

      -- Notes how long a claim took that looked at everything, and what it chose. After two slow ones in a row, the next
      -- ones begin behind that.
      CREATE FUNCTION errand.note_walk(now_ticks bigint, took interval, chosen bigint[], is_more boolean) RETURNS void
      LANGUAGE plpgsql \(planning) AS $$
      DECLARE
        walk jsonb := errand.walk();
        slow integer := coalesce((walk ->> 'slow')::integer, 0) + 1;
        lowest integer;
      BEGIN
        IF took < interval '10 milliseconds' OR NOT is_more THEN
          IF walk IS NOT NULL THEN PERFORM set_config('errand_of_errand.walk', '', false); END IF;
          RETURN;
        END IF;
        walk := jsonb_build_object('slow', slow, 'until', CASE WHEN slow > 1 THEN now_ticks + 1000 ELSE 0 END);
        SELECT min(priority) INTO lowest FROM errand.requests WHERE seq = ANY(chosen);
        FOR p IN 0..3 LOOP
          -- Nothing is ready with a higher priority than that of the last one, but for what was chosen.
          walk := walk || jsonb_build_object(p, CASE
            WHEN p < lowest THEN 0
            ELSE coalesce((SELECT max(seq) FROM errand.requests WHERE seq = ANY(chosen) AND priority = p),
              (SELECT last_value FROM errand.places)) END);
        END LOOP;
        PERFORM set_config('errand_of_errand.walk', walk::text, false);
      END $$;
      """
  }
#endif
