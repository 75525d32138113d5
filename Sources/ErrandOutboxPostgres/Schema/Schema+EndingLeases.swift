#if Postgres
  extension Schema {
    /// Functions that end leases, requests that have expired, and requests that used up their attempts.
    static let endingLeases = """
      -- Ends the leases that are over, and those of workers that are gone. What was being sent waits as
      -- after any failed attempt, because it may be what ended its worker.
      CREATE FUNCTION errand.recover(
        at bigint[], now_ticks bigint, now_wall bigint, me integer, backoff bigint, max_backoff bigint
      ) RETURNS SETOF errand.requests LANGUAGE plpgsql \(planning) AS $$
      DECLARE
        lost bigint[];
        locked text[];
        pulse bigint := errand.pulse(at);
      BEGIN
        SELECT array_agg(q.seq), errand.lock_lanes(array_agg(q.lane) FILTER (WHERE q.lane IS NOT NULL), false)
          INTO lost, locked
          FROM errand.requests q LEFT JOIN errand.workers w ON w.id = q.owner
          WHERE q.state = 1 AND errand.free_from(now_ticks, pulse, at[3], me, q.owner, q.lease_end, w) <= now_ticks;
        IF lost IS NULL THEN RETURN; END IF;
        lost := ARRAY(SELECT seq FROM errand.requests WHERE seq = ANY(lost) AND state + 0 = 1
          AND (lane IS NULL OR lane = ANY(locked)) ORDER BY seq FOR UPDATE SKIP LOCKED);
        -- A statement of its own: it sees a sign of life that was given before the rows were locked.
        RETURN QUERY
          WITH ended AS (
            SELECT q.seq, CASE WHEN q.begun AND backoff > 0
                THEN least(max_backoff, backoff * 2 ^ least(greatest(q.counted - 1, 0), 50))::bigint ELSE 0 END AS delay
            FROM errand.requests q LEFT JOIN errand.workers w ON w.id = q.owner
            WHERE q.seq = ANY(lost) AND errand.free_from(now_ticks, pulse, at[3], me, q.owner, q.lease_end, w) <= now_ticks
          ), changed AS (
            UPDATE errand.requests q SET state = 0, owner = NULL, lease_end = NULL, changed = now_wall,
              revision = revision + 1, offline = false,
              due = CASE WHEN delay > 0 THEN now_ticks + delay ELSE 0 END,
              due_wall = CASE WHEN delay > 0 THEN now_wall + delay ELSE 0 END,
              attempts = attempts - (NOT begun)::integer, counted = counted - (NOT begun)::integer,
              reason = CASE WHEN begun THEN
                'its last attempt has no known end: its process is gone, or was silent for too long'
                ELSE reason END
            FROM ended WHERE q.seq = ended.seq RETURNING q.*
          ), counted AS (
            -- Of what was changed here: another may have ended some of these leases a moment before.
            SELECT errand.tally(me, 1, -count(*), -sum(size)::bigint, true),
              errand.tally(me, 0, count(*), sum(size)::bigint, true) FROM changed HAVING count(*) > 0
          ) SELECT c.* FROM changed c, (SELECT count(*) FROM counted) d ORDER BY c.seq;
        PERFORM errand.settle(locked);
      END $$;

      -- Moves requests whose time is over to the history, some hundred at once.
      CREATE FUNCTION errand.expire(now_ticks bigint, now_wall bigint, me integer)
      RETURNS SETOF errand.requests LANGUAGE plpgsql \(planning) AS $$
      DECLARE
        over bigint[];
        locked text[];
      BEGIN
        SELECT array_agg(q.seq), errand.lock_lanes(array_agg(q.lane) FILTER (WHERE q.lane IS NOT NULL), false)
          INTO over, locked
          FROM (SELECT seq, lane FROM errand.requests
            WHERE state = 0 AND expires IS NOT NULL AND expires <= now_ticks ORDER BY expires LIMIT 500) q;
        IF over IS NULL THEN RETURN; END IF;
        RETURN QUERY SELECT * FROM errand.finish_these(now_wall, me, 4, ARRAY(
          SELECT seq FROM errand.requests WHERE seq = ANY(over) AND state = 0 AND expires <= now_ticks
            AND (lane IS NULL OR lane = ANY(locked)) FOR UPDATE SKIP LOCKED),
          NULL) x ORDER BY x.expires, x.seq;
        PERFORM errand.settle(locked);
      END $$;

      -- Moves stored requests, or dead letters, to the history. They and their lanes must be locked.
      CREATE FUNCTION errand.finish_these(
        now_wall bigint, me integer, new_state integer, these bigint[], why text
      ) RETURNS SETOF errand.requests LANGUAGE plpgsql \(planning) AS $$
      DECLARE
        end_wall bigint;
      BEGIN
        IF cardinality(these) = 0 THEN RETURN; END IF;
        PERFORM errand.share_history();
        end_wall := errand.end_time(now_wall);
        RETURN QUERY
          WITH open AS (DELETE FROM errand.requests WHERE seq = ANY(these) RETURNING *),
          letters AS (DELETE FROM errand.dead WHERE seq = ANY(these) RETURNING *),
          gone AS (SELECT * FROM open UNION ALL SELECT * FROM letters),
          counted AS (
            SELECT errand.tally(me, g.state, -count(*), -sum(errand.bytes(g.state, g.size, g.response))::bigint, false)
            FROM gone g GROUP BY g.state
          ),
          finished AS (
            INSERT INTO errand.history(\(columnList))
            SELECT \(columnList(replacing: [
              "state": "new_state", "place": "0", "due": "0", "due_wall": "0", "offline": "false",
              "changed": "now_wall", "ended": "end_wall", "owner": "NULL", "lease_end": "NULL",
              "revision": "revision + 1", "response": "NULL",
              "content": "CASE WHEN new_state = 4 THEN content END",
              "files": "CASE WHEN new_state = 4 THEN files END",
              "reason": """
                CASE WHEN new_state = 4 THEN 'its time was over before it was delivered'
                  || coalesce('; before that: ' || reason, '') ELSE why END
                """,
            ]))
            FROM gone RETURNING *
          ),
          counted_too AS (
            SELECT errand.tally(me, new_state, count(*), sum(errand.bytes(new_state, o.size, NULL))::bigint, true)
            FROM finished o
          )
          SELECT o.* FROM finished o, (SELECT count(*) FROM counted) c, (SELECT count(*) FROM counted_too) d;
      END $$;

      -- Moves those of the chosen requests to the dead letters that had all their attempts. A lane that is
      -- locked is not waited for: its request is left for the next claim.
      CREATE FUNCTION errand.give_up(now_wall bigint, me integer, chosen bigint[], max_attempts bigint)
      RETURNS SETOF errand.requests LANGUAGE plpgsql \(planning) AS $$
      DECLARE
        wanted text[];
        locked text[];
      BEGIN
        IF NOT EXISTS (SELECT FROM errand.requests WHERE seq = ANY(chosen) AND counted >= max_attempts) THEN
          RETURN;
        END IF;
        SELECT array_agg(lane) INTO wanted FROM errand.requests
          WHERE seq = ANY(chosen) AND counted >= max_attempts AND lane IS NOT NULL;
        locked := errand.lock_lanes(wanted, false);
        RETURN QUERY
          WITH gone AS (
            DELETE FROM errand.requests WHERE seq = ANY(chosen) AND counted >= max_attempts AND state = 0
              AND (lane IS NULL OR lane = ANY(locked))
            RETURNING *
          ), letters AS (
            INSERT INTO errand.dead(\(columnList))
            SELECT \(columnList(replacing: [
              "state": "3", "place": "0", "due": "0", "due_wall": "0", "offline": "false", "changed": "now_wall",
              "owner": "NULL", "lease_end": "NULL", "revision": "revision + 1",
              "reason": """
                format('attempted %s times', counted)
                  || coalesce('; ' || reason, ', and its last attempt has no known end')
                """,
            ]))
            FROM gone RETURNING *
          ), counted AS (
            SELECT errand.tally(me, 0, -count(*), -sum(size)::bigint, true),
              errand.tally(me, 3, count(*), sum(size)::bigint, true) FROM letters HAVING count(*) > 0
          ) SELECT l.* FROM letters l, (SELECT count(*) FROM counted) c;
        PERFORM errand.settle(locked);
      END $$;
      """
  }
#endif
