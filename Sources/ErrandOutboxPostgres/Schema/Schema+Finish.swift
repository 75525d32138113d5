#if Postgres
  extension Schema {
    /// Functions for the ends of attempts, and for leases.
    static let finishing = """
      -- Records how attempts ended: 0 delivered, 1 failed, 2 rejected, 3 given back, 4 only news of an
      -- origin. Answers for each attempt that counted its number and the request as it is now. With
      -- `is_repeat`, an attempt that was recorded before counts, too: its answer was lost.
      CREATE FUNCTION errand.finish(
        at bigint[], me integer, is_repeat boolean, seqs bigint[], leases bigint[], ends bigint[], reasons text[],
        waits bigint[], counting bigint[], offline bigint[], responses bytea[], origins text[]
      ) RETURNS TABLE(place bigint, r errand.requests, files text[])
      LANGUAGE plpgsql \(pinned) \(planning) AS $$
      #variable_conflict use_column
      DECLARE
        now_wall bigint;
        end_wall bigint;
        now_ticks bigint := coalesce(at[1], errand.ticks());
        locked text[];
      BEGIN
        locked := errand.lock_lanes((
          SELECT array_agg(q.lane) FROM (
            SELECT lane FROM errand.requests WHERE seq = ANY(seqs) AND lane IS NOT NULL
            UNION SELECT lane FROM errand.dead WHERE seq = ANY(seqs) AND lane IS NOT NULL) q), true);
        PERFORM errand.be_durable(), errand.share_history();
        -- Not earlier: what is forgotten must have ended before.
        now_wall := coalesce(at[2], errand.wall());
        end_wall := errand.end_time(now_wall);
        IF origins IS NOT NULL THEN
          UPDATE errand.requests q SET origin = n.origin
            FROM (SELECT * FROM unnest(seqs, origins) u(seq, origin) ORDER BY seq) n
            WHERE q.seq = n.seq AND q.origin = '' AND n.origin IS NOT NULL;
        END IF;

        -- Leases are renewed at the same time, in the order of their requests.
        IF (SELECT count(DISTINCT e) FROM unnest(ends) e WHERE e <> 4) > 1 THEN
          PERFORM FROM (SELECT FROM errand.requests WHERE seq = ANY(seqs) ORDER BY seq FOR UPDATE) q;
        END IF;
        IF 0 = ANY(ends) THEN
          RETURN QUERY
            WITH n AS (
              SELECT u.* FROM unnest(seqs, leases, ends, responses) WITH ORDINALITY u(seq, lease, ending, response, nth)
              WHERE ending = 0 ORDER BY seq
            ),
            opened AS (
              DELETE FROM errand.requests q USING n WHERE q.seq = n.seq
              RETURNING q.*, n.nth, n.response AS new_response, n.lease AS new_lease
            ),
            letters AS (
              DELETE FROM errand.dead q USING n WHERE q.seq = n.seq
              RETURNING q.*, n.nth, n.response AS new_response, n.lease AS new_lease
            ),
            gone AS (SELECT * FROM opened UNION ALL SELECT * FROM letters),
            counted AS (
              SELECT errand.tally(me, g.state, -count(*), -sum(errand.bytes(g.state, g.size, g.response))::bigint,
                false) FROM gone g GROUP BY g.state
            ),
            finished AS (
              INSERT INTO errand.history(\(columnList))
              SELECT \(columnList(replacing: [
                "state": "2", "place": "0", "due": "0", "due_wall": "0", "offline": "false", "changed": "now_wall",
                "ended": "end_wall", "owner": "me", "lease": "new_lease", "lease_end": "NULL", "reason": "NULL",
                "revision": "revision + 1", "response": "new_response", "content": "NULL", "files": "NULL",
              ]))
              FROM gone RETURNING *
            ),
            counted_too AS (
              SELECT errand.tally(me, 2, count(*), sum(errand.bytes(2, f.size, f.response))::bigint, true)
              FROM finished f HAVING count(*) > 0
            ),
            unfiled AS (
              DELETE FROM errand.files x USING gone g WHERE g.files IS NOT NULL AND x.seq = g.seq RETURNING x.seq
            )
            SELECT g.nth - 1, ROW(f.*)::errand.requests, g.files FROM finished f JOIN gone g ON g.seq = f.seq,
              (SELECT count(*) FROM counted) c, (SELECT count(*) FROM counted_too) d, (SELECT count(*) FROM unfiled) e;
        END IF;

        IF 1 = ANY(ends) OR 3 = ANY(ends) THEN
          RETURN QUERY
            WITH n AS (
              SELECT u.* FROM unnest(seqs, leases, ends, reasons, waits, counting, offline) WITH ORDINALITY
                u(seq, lease, ending, reason, wait, is_counted, was_offline, nth) WHERE ending IN (1, 3)
              ORDER BY seq
            ),
            changed AS (
              UPDATE errand.requests q SET state = 0, owner = NULL, lease_end = NULL, changed = now_wall,
                revision = revision + 1,
                due = CASE WHEN ending = 3 THEN due WHEN wait > 0 THEN now_ticks + wait ELSE 0 END,
                due_wall = CASE WHEN ending = 3 THEN due_wall WHEN wait > 0 THEN now_wall + wait ELSE 0 END,
                offline = CASE WHEN ending = 3 THEN q.offline ELSE was_offline <> 0 AND wait > 0 END,
                attempts = attempts - (ending = 3)::integer,
                counted = counted - (ending = 3 OR is_counted = 0)::integer,
                reason = CASE WHEN ending = 3 THEN q.reason ELSE n.reason END
              FROM n WHERE q.seq = n.seq AND q.state + 0 = 1 AND q.lease & 16777215 = n.lease
              RETURNING q.*, n.nth
            ),
            counted AS (
              SELECT errand.tally(me, 1, -count(*), -sum(size)::bigint, true),
                errand.tally(me, 0, count(*), sum(size)::bigint, true) FROM changed HAVING count(*) > 0
            )
            SELECT h.nth - 1, ROW(\(columnList(of: "h")))::errand.requests, NULL::text[]
            FROM changed h, (SELECT count(*) FROM counted) d;
        END IF;

        IF 2 = ANY(ends) THEN
          RETURN QUERY
            WITH n AS (
              SELECT u.* FROM unnest(seqs, leases, ends, reasons, responses) WITH ORDINALITY
                u(seq, lease, ending, new_reason, new_response, nth) WHERE ending = 2
              ORDER BY seq
            ),
            gone AS (
              DELETE FROM errand.requests q USING n
              WHERE q.seq = n.seq AND q.state + 0 = 1 AND q.lease & 16777215 = n.lease
              RETURNING q.*, n.nth, n.new_reason, n.new_response
            ),
            letters AS (
              INSERT INTO errand.dead(\(columnList))
              SELECT \(columnList(replacing: [
                "state": "3", "place": "0", "due": "0", "due_wall": "0", "offline": "false", "changed": "now_wall",
                "owner": "NULL", "lease_end": "NULL", "reason": "new_reason", "revision": "revision + 1",
                "response": "new_response",
              ]))
              FROM gone RETURNING *
            ),
            counted AS (
              SELECT errand.tally(me, 1, -count(*), -sum(size)::bigint, true),
                errand.tally(me, 3, count(*), sum(errand.bytes(3, size, response))::bigint, true)
              FROM letters HAVING count(*) > 0
            )
            SELECT g.nth - 1, ROW(l.*)::errand.requests, NULL::text[]
            FROM letters l JOIN gone g ON g.seq = l.seq, (SELECT count(*) FROM counted) d;
        END IF;
        PERFORM errand.settle(locked);

        IF is_repeat THEN
          RETURN QUERY SELECT n.nth - 1, ROW(e.*)::errand.requests, NULL::text[]
            FROM unnest(seqs, leases, ends) WITH ORDINALITY n(seq, lease, ending, nth)
            JOIN errand.everything e ON e.seq = n.seq AND e.lease & 16777215 = n.lease
            WHERE e.state = CASE n.ending WHEN 0 THEN 2 WHEN 2 THEN 3 ELSE 0 END;
        END IF;
      END $$;

      -- Holds an origin, or releases it if `wait` is not positive. A hold never ends earlier because of
      -- another.
      CREATE FUNCTION errand.hear(
        at bigint[], me integer, names text[], labels bytea[], kinds bigint[], reasons text[], waits bigint[]
      ) RETURNS void LANGUAGE plpgsql \(pinned) AS $$
      DECLARE
        n record;
      BEGIN
        PERFORM errand.be_durable();
        FOR n IN SELECT * FROM unnest(names, labels, kinds, reasons, waits) u(name, label, kind, reason, wait) LOOP
          IF n.wait > 0 THEN
            INSERT INTO errand.origins VALUES (n.name, n.label, n.kind, n.reason,
              coalesce(at[1], errand.ticks()) + n.wait, coalesce(at[2], errand.wall()) + n.wait)
            ON CONFLICT (origin) DO UPDATE SET label = excluded.label, kind = excluded.kind,
              reason = excluded.reason, until = excluded.until, until_wall = excluded.until_wall
            WHERE excluded.until >= origins.until;
          ELSE
            DELETE FROM errand.origins WHERE origin = n.name;
          END IF;
        END LOOP;
        PERFORM errand.tally(me, 0, 0, 0, true);
      END $$;
      """

    static let leasing = """
      -- Extends leases. Answers the numbers of those that were not lost.
      CREATE FUNCTION errand.renew(at bigint[], me integer, seqs bigint[], leases bigint[], length bigint)
      RETURNS SETOF bigint LANGUAGE plpgsql \(pinned) \(planning) AS $$
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        PERFORM errand.live(at, me);
        RETURN QUERY UPDATE errand.requests q SET lease_end = coalesce(at[1], errand.ticks()) + length
          FROM (SELECT * FROM unnest(seqs, leases) WITH ORDINALITY u(seq, lease, nth) ORDER BY seq) n
          WHERE q.seq = n.seq AND q.state + 0 = 1 AND q.lease & 16777215 = n.lease AND q.owner = me
          RETURNING n.nth - 1;
      END $$;

      -- Notes that requests are about to be sent. The note need not outlive the server's machine. Answers the
      -- numbers of those whose leases are held. It is a sign of life, too: else another worker could end these
      -- leases right after this.
      CREATE FUNCTION errand.begin_leases(at bigint[], me integer, seqs bigint[], leases bigint[])
      RETURNS SETOF bigint LANGUAGE plpgsql \(pinned) \(planning) AS $$
      DECLARE
        now_ticks bigint := coalesce(at[1], errand.ticks());
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        PERFORM errand.live(at, me);
        RETURN QUERY UPDATE errand.requests q SET begun = true
          FROM (SELECT * FROM unnest(seqs, leases) WITH ORDINALITY u(seq, lease, nth) ORDER BY seq) n
          WHERE q.seq = n.seq AND q.state + 0 = 1 AND q.lease & 16777215 = n.lease
            AND q.owner = me AND q.lease_end > now_ticks
          RETURNING n.nth - 1;
      END $$;

      -- Makes a worker known. One that was found to be gone may come back.
      CREATE FUNCTION errand.arrive(at bigint[], me integer, name text, version text, lasting bigint) RETURNS void
      LANGUAGE sql \(pinned) AS $$
        INSERT INTO errand.workers(id, name, version, seen, lasting)
        VALUES (me, name, version, errand.instant(errand.pulse(at)), lasting * interval '1 millisecond')
        ON CONFLICT (id) DO UPDATE SET seen = excluded.seen, lasting = excluded.lasting
      $$;

      -- Gives back what a worker has claimed, as if it had not been claimed; all but `keeping`.
      CREATE FUNCTION errand.give_back(me integer, keeping bigint[]) RETURNS void
      LANGUAGE plpgsql \(pinned) \(planning) AS $$
      DECLARE
        locked text[];
        given_count bigint;
        given_bytes bigint;
      BEGIN
        PERFORM errand.be_durable();
        locked := errand.lock_lanes((SELECT array_agg(DISTINCT lane) FROM errand.requests
          WHERE state = 1 AND owner = me AND lane IS NOT NULL), true);
        WITH given AS (
          UPDATE errand.requests SET state = 0, owner = NULL, lease_end = NULL, attempts = attempts - 1,
            counted = counted - 1, revision = revision + 1
          WHERE seq = ANY(ARRAY(SELECT seq FROM errand.requests
            WHERE state = 1 AND owner = me AND NOT seq = ANY(keeping) ORDER BY seq FOR UPDATE))
          RETURNING *
        )
        SELECT count(*), coalesce(sum(size), 0) INTO given_count, given_bytes FROM given;
        IF given_count > 0 THEN
          PERFORM errand.tally(me, 1, -given_count, -given_bytes, true);
          PERFORM errand.tally(me, 0, given_count, given_bytes, true);
        END IF;
        PERFORM errand.settle(locked);
      END $$;
      """
  }
#endif
