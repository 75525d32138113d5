#if Postgres
  extension Schema {
    /// Functions that add requests, of one caller or of several at once.
    static let adding = """
      -- Adds requests, in this order. Answers: 1 what was dropped to make room, 2 the number of one that
      -- was there already, 3 a file that belongs to nothing any more, 4 that several callers do not fit in
      -- together: nothing was added, and each is to ask alone.
      CREATE FUNCTION errand.add(
        at bigint[], me integer, most_count bigint, most_bytes bigint, rule integer, is_alone boolean,
        ids text[], long_ids text[], lanes text[], long_lanes text[], holding bigint[], priorities bigint[],
        lifetimes bigint[], ends bigint[], summaries bytea[], contents bytea[], sizes bigint[], origins text[],
        file_names text[], file_rows bigint[],
        -- What happens to one that is there already (0 it stays, 1 it is replaced, 2 nothing is added), and when it may
        -- be sent first, by the wall clock.
        modes bigint[] DEFAULT NULL, begins bigint[] DEFAULT NULL
      ) RETURNS TABLE(what integer, place bigint, r errand.requests, file text)
      LANGUAGE plpgsql \(pinned) \(planning) AS $$
      DECLARE
        freed bigint[];
        revisions bigint[];
        settled text[];
        way record;
        wall bigint := coalesce(at[2], errand.wall());
        ticks bigint := coalesce(at[1], errand.ticks());
        added bigint[];
        undone bigint[];
        known text[];
        had record;
        most bigint := cardinality(ids);
        bytes_in_all bigint := (SELECT coalesce(sum(s), 0) FROM unnest(sizes) s);
      BEGIN
        IF most = 0 THEN RETURN; END IF;
        PERFORM errand.be_durable();
        IF modes IS NOT NULL THEN
          -- Before the locks of the history, which making room takes alone.
          IF most_count IS NOT NULL OR most_bytes IS NOT NULL THEN PERFORM FROM errand.wait_for_caps(); END IF;
          FOR way IN SELECT * FROM errand.make_way(me, ids, lanes, modes) LOOP
            IF way.lane IS NOT NULL THEN
              settled := settled || way.lane;
            ELSIF way.number IS NULL THEN
              RETURN QUERY SELECT 3, 0::bigint, NULL::errand.requests, way.file;
            ELSE
              freed[way.number] := way.seq;
              revisions[way.number] := way.revision;
            END IF;
          END LOOP;
        END IF;
        IF (most_count IS NOT NULL OR most_bytes IS NOT NULL)
          AND NOT errand.is_far_from(most_count, most_bytes, me, most, bytes_in_all) THEN
          PERFORM errand.wait_for_caps();
          had := errand.usage();
          IF had.count + most > most_count OR had.bytes + had.over + bytes_in_all > most_bytes THEN
            IF NOT is_alone THEN
              RETURN QUERY SELECT 4, 0::bigint, NULL::errand.requests, NULL::text;
              RETURN;
            END IF;
            RETURN QUERY SELECT * FROM errand.make_room(
              at, me, most_count, most_bytes, rule, ids, priorities, sizes);
          END IF;
        END IF;

        -- A server that was restored or replaced meanwhile may have lost a body of its blobs.
        -- What SQL enqueues has kept its body in the same transaction.
        IF me IS NOT NULL AND cardinality(file_names) > 0 AND EXISTS (
          SELECT FROM unnest(file_names) f(name) WHERE f.name ~ '^[0-9a-f]{64}[.][0-9a-f]{16}$'
            AND NOT EXISTS (SELECT FROM errand.blobs b WHERE b.key = split_part(f.name, '.', 2) AND b.name = f.name))
        THEN
          RAISE EXCEPTION 'the server lost a stored body before its request was stored; enqueue the request again'
            USING ERRCODE = '55000';
        END IF;

        WITH new AS (
          INSERT INTO errand.requests(seq, revision, due, due_wall, id, long_id, lane, long_lane, holds, priority, place,
            expires, expires_wall, created, changed, summary, content, size, origin, files)
          SELECT coalesce(freed[n.number], nextval('errand.places')), coalesce(revisions[n.number] + 1, 1),
            CASE WHEN n.begin_at > wall THEN ticks + n.begin_at - wall ELSE 0 END,
            CASE WHEN n.begin_at > wall THEN n.begin_at ELSE 0 END, n.id, n.long_id, n.lane, n.long_lane, n.holding <> 0, n.priority, (n.lane IS NULL)::integer,
            ticks + coalesce(n.lifetime, CASE WHEN n.ending < wall THEN 0 ELSE n.ending - wall END),
            coalesce(wall + n.lifetime, n.ending), wall, wall, n.summary, n.content, n.size, n.origin,
            CASE WHEN cardinality(file_names) > 0 THEN
              (SELECT array_agg(f.name ORDER BY f.name) FROM unnest(file_names, file_rows) f(name, number)
               WHERE f.number = n.number) END
          FROM unnest(ids, long_ids, lanes, long_lanes, holding, priorities, lifetimes, ends, summaries, contents,
              sizes, origins, begins) WITH ORDINALITY
            n(id, long_id, lane, long_lane, holding, priority, lifetime, ending, summary, content, size, origin, begin_at,
              number)
          ORDER BY n.number
          ON CONFLICT (id) DO NOTHING
          RETURNING seq, requests.files
        ), filed AS (
          INSERT INTO errand.files SELECT f, new.seq FROM new, unnest(new.files) f
        ) SELECT array_agg(new.seq) INTO added FROM new;

        -- A statement of its own: it sees what was over before the insert, which has waited for it.
        IF EXISTS (SELECT FROM errand.dead d WHERE d.id = ANY(ids))
          OR EXISTS (SELECT FROM errand.history h, errand.state s WHERE h.id = ANY(ids) AND h.ended > s.horizon)
        THEN
          WITH gone AS (
            DELETE FROM errand.requests q WHERE q.seq = ANY(added) AND (
              EXISTS (SELECT FROM errand.dead d WHERE d.id = q.id)
              OR EXISTS (SELECT FROM errand.history h, errand.state s WHERE h.id = q.id AND h.ended > s.horizon))
            RETURNING q.seq
          ) SELECT array_agg(gone.seq) INTO undone FROM gone;
          DELETE FROM errand.files x WHERE x.seq = ANY(undone);
          added := array(SELECT unnest(added) EXCEPT SELECT unnest(undone));
        END IF;
        -- Now, and not when the lane is looked at next: nothing may pass a request that takes over a place.
        IF settled IS NOT NULL THEN PERFORM errand.settle(settled); END IF;

        -- From the parameters: a SERIALIZABLE transaction that reads the requests fails beside another that adds some.
        IF cardinality(array_remove(lanes, NULL)) > 0 THEN
          INSERT INTO errand.arrivals(lane, long_lane)
            SELECT DISTINCT l.lane, l.long_lane FROM unnest(lanes, long_lanes) l(lane, long_lane)
            WHERE l.lane IS NOT NULL;
        END IF;
        IF cardinality(added) = most THEN
          PERFORM errand.tally(me, 0, most, bytes_in_all, true);
          RETURN;
        END IF;
        PERFORM errand.tally(me, 0, count(*), coalesce(sum(q.size), 0)::bigint, true)
          FROM errand.requests q WHERE q.seq = ANY(added) HAVING count(*) > 0;
        SELECT array_agg(q.id) INTO known FROM errand.requests q WHERE q.seq = ANY(added);
        -- Another was added since way was made.
        IF EXISTS (SELECT FROM unnest(ids, modes) n(id, mode)
          WHERE n.mode > 0 AND NOT n.id = ANY(coalesce(known, '{}'))) THEN
          PERFORM errand.begin_anew();
        END IF;
        RETURN QUERY
          SELECT 2, n.number - 1, NULL::errand.requests, NULL::text FROM (
            SELECT u.number, u.id, row_number() OVER (PARTITION BY u.id ORDER BY u.number) AS nth
            FROM unnest(ids) WITH ORDINALITY u(id, number)
          ) n WHERE n.nth > 1 OR NOT n.id = ANY(coalesce(known, '{}')) ORDER BY n.number;
      END $$;
      """

    static let ways = """
      -- Deletes what newer requests replace. Answers its files, the lanes that are to be settled, and for each newer
      -- request that takes over a place its number, that place and the revision.
      CREATE FUNCTION errand.make_way(me integer, ids text[], lanes text[], modes bigint[])
      RETURNS TABLE(number integer, seq bigint, revision integer, file text, lane text) LANGUAGE plpgsql \(planning) AS $$
      #variable_conflict use_column
      DECLARE
        new record;
        old errand.requests;
        locked text[];
      BEGIN
        SELECT max(n.nth) - 1 AS nth INTO new FROM unnest(ids, modes) WITH ORDINALITY n(id, mode, nth)
          GROUP BY n.id HAVING count(*) > 1 AND max(n.mode) > 0 LIMIT 1;
        IF FOUND THEN PERFORM errand.refuse_known(new.nth, 0); END IF;
        locked := errand.lock_lanes((SELECT array_agg(DISTINCT e.lane) FROM errand.everything e
          JOIN unnest(ids, modes) n(id, mode) ON n.id = e.id WHERE n.mode > 0 AND e.lane IS NOT NULL), true);
        PERFORM errand.share_history();
        FOR new IN
          SELECT n.id, n.lane, n.mode, n.nth FROM unnest(ids, lanes, modes) WITH ORDINALITY n(id, lane, mode, nth)
          WHERE n.mode > 0 ORDER BY n.nth
        LOOP
          SELECT e.* INTO old FROM errand.requests e WHERE e.id = new.id FOR UPDATE;
          IF NOT FOUND THEN SELECT e.* INTO old FROM errand.dead e WHERE e.id = new.id FOR UPDATE; END IF;
          IF NOT FOUND THEN
            SELECT e.* INTO old FROM errand.history e WHERE e.id = new.id
              AND e.ended > (SELECT s.horizon FROM errand.state s) LIMIT 1;
          END IF;
          CONTINUE WHEN NOT FOUND;
          IF new.mode <> 1 OR old.state NOT IN (0, 3) THEN PERFORM errand.refuse_known(new.nth - 1, old.state); END IF;
          RETURN QUERY DELETE FROM errand.files x WHERE x.seq = old.seq
            RETURNING NULL::integer, NULL::bigint, NULL::integer, x.name, NULL::text;
          DELETE FROM errand.requests q WHERE q.seq = old.seq;
          DELETE FROM errand.dead q WHERE q.seq = old.seq;
          PERFORM errand.tally(me, old.state, -1, -errand.bytes(old.state, old.size, old.response)::bigint, true);
          -- An attempt of one that was claimed may end yet: it must not be taken for one of the newer.
          IF old.lease = 0 AND old.lane IS NOT DISTINCT FROM new.lane THEN
            RETURN QUERY SELECT new.nth::integer, old.seq, old.revision, NULL::text, NULL::text;
          END IF;
        END LOOP;
        RETURN QUERY SELECT NULL::integer, NULL::bigint, NULL::integer, NULL::text, l FROM unnest(locked) l;
      END $$;

      -- Fails, with what is needed for a sentence.
      CREATE FUNCTION errand.refuse_known(nth bigint, state integer) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '%', format('%s|%s', nth, state) USING ERRCODE = 'ER002';
      END $$;
      """
  }
#endif
