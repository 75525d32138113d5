#if Postgres
  extension Schema {
    /// A function that retries requests that are being attempted. Older programs know only `errand.retry`,
    /// which is unchanged.
    static let forcing = """
      -- Ends the leases of requests that are being attempted, whoever has them, and then retries all of
      -- these. The attempts count as those of leases that are over.
      CREATE FUNCTION errand.retry_by_force(at bigint[], me integer, these bigint[])
      RETURNS SETOF errand.requests LANGUAGE plpgsql \(pinned) \(planning) AS $$
      DECLARE
        now_wall bigint := coalesce(at[2], errand.wall());
        locked text[];
        freed_count bigint;
        freed_bytes bigint;
      BEGIN
        -- The lanes of all, so that the retry locks no lane after this.
        locked := errand.lock_lanes((SELECT array_agg(DISTINCT e.lane) FROM errand.everything e
          WHERE e.seq = ANY(these) AND e.lane IS NOT NULL), true);
        WITH freed AS (
          UPDATE errand.requests q SET state = 0, owner = NULL, lease_end = NULL, changed = now_wall,
            revision = revision + 1, offline = false, due = 0, due_wall = 0,
            attempts = attempts - (NOT begun)::integer, counted = counted - (NOT begun)::integer,
            reason = CASE WHEN begun THEN
              'its last attempt has no known end: its process is gone, or was silent for too long'
              ELSE reason END
          WHERE q.seq = ANY(ARRAY(SELECT seq FROM errand.requests
            WHERE seq = ANY(these) AND state + 0 = 1 ORDER BY seq FOR UPDATE))
          RETURNING q.size
        )
        SELECT count(*), coalesce(sum(size), 0) INTO freed_count, freed_bytes FROM freed;
        IF freed_count > 0 THEN
          PERFORM errand.tally(me, 1, -freed_count, -freed_bytes, true);
          PERFORM errand.tally(me, 0, freed_count, freed_bytes, true);
        END IF;
        PERFORM errand.settle(locked);
        RETURN QUERY SELECT * FROM errand.retry(at, me, these);
      END $$;
      """

    /// Functions for operations by hand, in parts of some hundred requests.
    static let manual = """
      -- Makes requests due now. Stored ones keep their attempts and their ends; dead letters and expired
      -- ones get their attempts back and take their old places. They are given in the order in which they
      -- were enqueued.
      CREATE FUNCTION errand.retry(at bigint[], me integer, these bigint[]) RETURNS SETOF errand.requests
      LANGUAGE plpgsql \(pinned) \(planning) AS $$
      DECLARE
        now_wall bigint := coalesce(at[2], errand.wall());
        locked text[];
        released text[];
        done bigint;
      BEGIN
        PERFORM errand.be_durable();
        locked := errand.lock_lanes((SELECT array_agg(DISTINCT e.lane) FROM errand.everything e
          WHERE e.seq = ANY(these) AND e.lane IS NOT NULL), true);
        PERFORM errand.share_history();
        SELECT array_agg(DISTINCT e.origin) INTO released FROM errand.everything e
          WHERE e.seq = ANY(these) AND e.state IN (0, 3, 4);
        UPDATE errand.requests SET due = 0, offline = false, revision = revision + 1
          WHERE seq = ANY(these) AND state = 0;
        WITH letters AS (DELETE FROM errand.dead WHERE seq = ANY(these) RETURNING *),
        expired AS (
          DELETE FROM errand.history WHERE seq = ANY(these) AND state = 4
            AND ended > (SELECT horizon FROM errand.state) RETURNING *),
        gone AS (SELECT * FROM letters UNION ALL SELECT * FROM expired),
        back AS (
          INSERT INTO errand.requests(\(columnList))
          SELECT \(columnList(replacing: [
            "state": "0", "place": "(lane IS NULL)::integer", "due": "0", "due_wall": "0", "offline": "false",
            "ended": "0", "expires": "NULL", "expires_wall": "NULL", "attempts": "0", "counted": "0",
            "changed": "now_wall", "reason": "NULL", "response": "NULL", "revision": "revision + 1",
            "begun": "false",
          ]))
          FROM gone
        ), counted AS (
          SELECT errand.tally(me, g.state, -count(*), -sum(errand.bytes(g.state, g.size, g.response))::bigint, true)
          FROM gone g GROUP BY g.state
        ), counted_too AS (
          SELECT errand.tally(me, 0, count(*), sum(g.size)::bigint, true) FROM gone g HAVING count(*) > 0
        )
        SELECT (SELECT count(*) FROM counted) + (SELECT count(*) FROM counted_too) INTO done;
        PERFORM errand.settle(locked);
        DELETE FROM errand.origins o WHERE o.origin = ANY(released);
        PERFORM errand.tally(me, 0, 0, 0, true);
        RETURN QUERY SELECT * FROM errand.requests q WHERE q.seq = ANY(these) AND q.state = 0 ORDER BY q.seq;
      END $$;

      -- Drops stored requests, dead letters and expired ones. Answers them, and their files.
      CREATE FUNCTION errand.drop_these(at bigint[], me integer, these bigint[], why text)
      RETURNS TABLE(r errand.requests, file text) LANGUAGE plpgsql \(pinned) \(planning) AS $$
      DECLARE
        locked text[];
        open_ones bigint[];
        expired bigint[];
      BEGIN
        PERFORM errand.be_durable();
        locked := errand.lock_lanes((SELECT array_agg(DISTINCT e.lane) FROM errand.everything e
          WHERE e.seq = ANY(these) AND e.lane IS NOT NULL), true);
        PERFORM errand.share_history();
        open_ones := ARRAY(SELECT seq FROM errand.requests WHERE seq = ANY(these) AND state = 0 FOR UPDATE)
          || ARRAY(SELECT seq FROM errand.dead WHERE seq = ANY(these) FOR UPDATE);
        expired := ARRAY(SELECT seq FROM errand.history WHERE seq = ANY(these) AND state = 4
          AND ended > (SELECT horizon FROM errand.state) FOR UPDATE);
        RETURN QUERY WITH unfiled AS (
            DELETE FROM errand.files WHERE seq = ANY(open_ones) OR seq = ANY(expired) RETURNING name
          ) SELECT NULL::errand.requests, u.name FROM unfiled u;
        RETURN QUERY SELECT x, NULL::text
          FROM errand.finish_these(coalesce(at[2], errand.wall()), me, 5, open_ones, why) x;
        RETURN QUERY SELECT x, NULL::text
          FROM errand.drop_expired(coalesce(at[2], errand.wall()), me, expired, why) x;
        PERFORM errand.settle(locked);
      END $$;

      -- Drops expired requests, which then ended now.
      CREATE FUNCTION errand.drop_expired(now_wall bigint, me integer, these bigint[], why text)
      RETURNS SETOF errand.requests LANGUAGE plpgsql \(planning) AS $$
      DECLARE
        end_wall bigint;
      BEGIN
        IF cardinality(these) = 0 THEN RETURN; END IF;
        end_wall := errand.end_time(now_wall);
        RETURN QUERY
          WITH gone AS (
            DELETE FROM errand.history WHERE seq = ANY(these) AND state = 4 RETURNING *
          ), dropped AS (
            INSERT INTO errand.history(\(columnList))
            SELECT \(columnList(replacing: [
              "state": "5", "changed": "now_wall", "ended": "end_wall", "reason": "why", "content": "NULL",
              "response": "NULL", "files": "NULL", "revision": "revision + 1",
            ])) FROM gone RETURNING *
          ), counted AS (
            SELECT errand.tally(me, 4, -count(*), -sum(errand.bytes(4, g.size, NULL))::bigint, true),
              errand.tally(me, 5, count(*), sum(errand.bytes(5, g.size, NULL))::bigint, true)
            FROM gone g HAVING count(*) > 0
          ) SELECT d.* FROM dropped d, (SELECT count(*) FROM counted) c;
      END $$;

      -- Makes requests due that found no network, and ends the holds of origins that did not ask for them.
      CREATE FUNCTION errand.reschedule(me integer, busy integer) RETURNS bigint
      LANGUAGE plpgsql \(pinned) \(planning) AS $$
      DECLARE
        changed bigint;
        released bigint;
      BEGIN
        PERFORM errand.be_durable();
        UPDATE errand.requests SET due = 0, offline = false, revision = revision + 1 WHERE seq IN (
          SELECT seq FROM errand.requests WHERE offline ORDER BY seq LIMIT 500 FOR UPDATE SKIP LOCKED);
        GET DIAGNOSTICS changed = ROW_COUNT;
        DELETE FROM errand.origins WHERE kind <> busy;
        GET DIAGNOSTICS released = ROW_COUNT;
        IF changed + released > 0 THEN PERFORM errand.tally(me, 0, 0, 0, true); END IF;
        RETURN changed;
      END $$;

      -- Ends the holds of these origins; null for all.
      CREATE FUNCTION errand.release(me integer, names text[]) RETURNS void LANGUAGE plpgsql \(pinned) AS $$
      BEGIN
        PERFORM errand.be_durable();
        DELETE FROM errand.origins WHERE names IS NULL OR origin = ANY(names);
        IF FOUND THEN PERFORM errand.tally(me, 0, 0, 0, true); END IF;
      END $$;

      -- Pauses or resumes a lane; null for everything.
      CREATE FUNCTION errand.pause(me integer, is_paused boolean, wanted text, long_name text) RETURNS void
      LANGUAGE plpgsql \(pinned) \(planning) AS $$
      BEGIN
        PERFORM errand.be_durable();
        IF wanted IS NULL THEN
          UPDATE errand.state SET paused = is_paused;
        ELSE
          PERFORM errand.lock_lanes(ARRAY[wanted], true);
          UPDATE errand.lanes SET paused = is_paused, long_lane = coalesce(long_name, long_lane) WHERE lane = wanted;
          UPDATE errand.requests SET place = CASE WHEN is_paused THEN 2 ELSE 1 END
            WHERE seq = (SELECT head FROM errand.lanes WHERE lane = wanted) AND place > 0;
        END IF;
        PERFORM errand.tally(me, 0, 0, 0, true);
      END $$;
      """
  }
#endif
