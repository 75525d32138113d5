#if Postgres
  extension Schema {
    /// Functions that choose the requests of a claim: by priority and age, within the capacities of their
    /// origins.
    static let choosing = """
      -- How many more requests of an origin may be taken.
      CREATE FUNCTION errand.room(
        origin text, names text[], rooms bigint[], per_other bigint, held text[]
      ) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
        SELECT CASE WHEN origin = ANY(held) THEN 0
          ELSE coalesce(rooms[array_position(names, origin)], per_other) END
      $$;

      -- Chooses requests and locks them. It reads few more than it takes, even if a million requests of an
      -- origin without room are in front of them.
      CREATE FUNCTION errand.choose(
        now_ticks bigint, most bigint, names text[], rooms bigint[], per_other bigint, others bigint, held text[]
      ) RETURNS errand.choice LANGUAGE plpgsql \(planning) AS $$
      DECLARE
        chosen errand.choice;
        seqs bigint[];
        more bigint[];
        limited bigint := least(most, 100000);
        hit text;
        first_origin text;
        room bigint;
      BEGIN
        -- With a single origin, its first requests are all there is to choose from.
        SELECT origin INTO first_origin FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0
          ORDER BY origin, priority DESC, seq LIMIT 1;
        SELECT origin INTO hit FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0
          AND origin > first_origin ORDER BY origin, priority DESC, seq LIMIT 1;
        IF hit IS NULL THEN
          RETURN errand.choose_of(first_origin, now_ticks, limited, names, rooms, per_other, others, held);
        END IF;

        -- No more than are wanted: what is locked here and not taken is passed over by others for a moment.
        seqs := errand.first_ready(limited, '{}', now_ticks);
        chosen := errand.fit(seqs, most, names, rooms, per_other, others, held);
        IF cardinality(seqs) < limited THEN
          chosen.is_contended := errand.is_contended(seqs, chosen.seqs, names, rooms, per_other, others, held);
          RETURN chosen;
        END IF;
        IF cardinality(chosen.seqs) = cardinality(seqs) THEN
          chosen.is_more := EXISTS (SELECT FROM errand.requests
            WHERE state = 0 AND place = 1 AND due = 0 AND NOT seq = ANY(seqs) AND NOT origin = ANY(held));
          RETURN chosen;
        END IF;
        -- Some origins have no room. A few more, and then from origin to origin: there are fewer of them.
        more := errand.first_ready(17 + limited / 4, seqs, now_ticks);
        seqs := seqs || more;
        chosen := errand.fit(seqs, most, names, rooms, per_other, others, held);
        IF chosen.is_more OR cardinality(more) < 17 + limited / 4 THEN RETURN chosen; END IF;

        seqs := '{}';
        IF others > 0 AND per_other > 0 THEN
          SELECT origin INTO hit FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0
            ORDER BY origin, priority DESC, seq LIMIT 1;
          WHILE hit IS NOT NULL LOOP
            room := least(errand.room(hit, names, rooms, per_other, held), limited + 1);
            IF room > 0 THEN seqs := seqs || errand.first_of(hit, room, now_ticks); END IF;
            SELECT origin INTO hit FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0
              AND origin > hit ORDER BY origin, priority DESC, seq LIMIT 1;
          END LOOP;
        ELSE
          FOR hit, room IN SELECT n.name, least(n.room, limited + 1)
            FROM unnest(names, rooms) n(name, room) WHERE n.room > 0 AND NOT n.name = ANY(held)
          LOOP
            seqs := seqs || errand.first_of(hit, room, now_ticks);
          END LOOP;
        END IF;
        RETURN errand.fit(seqs, most, names, rooms, per_other, others, held);
      END $$;

      -- Chooses requests where all are of one origin.
      CREATE FUNCTION errand.choose_of(
        wanted text, now_ticks bigint, most bigint, names text[], rooms bigint[], per_other bigint,
        others bigint, held text[]
      ) RETURNS errand.choice LANGUAGE plpgsql \(planning) AS $$
      DECLARE
        chosen errand.choice;
        room bigint := errand.room(wanted, names, rooms, per_other, held);
        last record;
      BEGIN
        chosen := ROW('{}', false, false);
        IF array_position(names, wanted) IS NULL THEN room := least(room, others); END IF;
        IF wanted IS NULL OR room <= 0 THEN RETURN chosen; END IF;
        chosen.seqs := errand.first_of(wanted, least(room, most), now_ticks);
        IF cardinality(chosen.seqs) = room THEN RETURN chosen; END IF;
        IF most = 0 THEN
          chosen.is_more := EXISTS (SELECT FROM errand.requests
            WHERE state = 0 AND place = 1 AND due = 0 AND origin = wanted);
        ELSIF cardinality(chosen.seqs) = most THEN
          -- Behind the last: what is before it may be many dead rows, while a transaction holds its snapshot.
          SELECT priority, seq INTO last FROM errand.requests WHERE seq = chosen.seqs[most];
          chosen.is_more := EXISTS (SELECT FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0
              AND origin = wanted AND priority = last.priority AND seq > last.seq)
            OR EXISTS (SELECT FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0
              AND origin = wanted AND priority < last.priority);
        ELSE
          chosen.is_contended := EXISTS (SELECT FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0
            AND origin = wanted AND expires IS NULL AND NOT seq = ANY(chosen.seqs));
        END IF;
        RETURN chosen;
      END $$;

      -- Locks the first requests that may be claimed, besides those that are locked already.
      CREATE FUNCTION errand.first_ready(room bigint, besides bigint[], now_ticks bigint) RETURNS bigint[]
      LANGUAGE plpgsql \(planning) AS $$
      BEGIN
        RETURN ARRAY(
          SELECT seq FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0
            AND (expires IS NULL OR expires > now_ticks) AND NOT seq = ANY(besides)
          ORDER BY priority DESC, seq LIMIT room FOR UPDATE SKIP LOCKED);
      END $$;

      -- Whether one of the first requests that may be claimed is locked by another, and there is room for it.
      CREATE FUNCTION errand.is_contended(
        seqs bigint[], chosen bigint[], names text[], rooms bigint[], per_other bigint, others bigint, held text[]
      ) RETURNS boolean LANGUAGE plpgsql STABLE \(planning) AS $$
      BEGIN
        RETURN EXISTS (
          SELECT FROM (
            SELECT seq, origin FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0
              AND expires IS NULL ORDER BY priority DESC, seq LIMIT cardinality(seqs) + 20
          ) q WHERE NOT q.seq = ANY(seqs) AND errand.room(q.origin, names, rooms, per_other, held) > (
            SELECT count(*) FROM errand.requests c WHERE c.seq = ANY(chosen) AND c.origin = q.origin));
      END $$;

      -- Locks the first requests of an origin.
      CREATE FUNCTION errand.first_of(wanted text, room bigint, now_ticks bigint) RETURNS bigint[]
      LANGUAGE plpgsql \(planning) AS $$
      BEGIN
        RETURN ARRAY(
          SELECT seq FROM errand.requests WHERE state = 0 AND place = 1 AND due = 0 AND origin = wanted
            AND (expires IS NULL OR expires > now_ticks)
          ORDER BY priority DESC, seq LIMIT room FOR UPDATE SKIP LOCKED);
      END $$;

      -- Takes those of some requests that there is room for, and says whether one more would have been
      -- taken if the limit were higher.
      CREATE FUNCTION errand.fit(
        seqs bigint[], most bigint, names text[], rooms bigint[], per_other bigint, others bigint, held text[]
      ) RETURNS errand.choice LANGUAGE plpgsql STABLE AS $$
      DECLARE chosen errand.choice;
      BEGIN
        WITH ranked AS (
          SELECT q.seq, q.priority, array_position(names, q.origin) IS NULL AS is_other,
            row_number() OVER (PARTITION BY q.origin ORDER BY q.priority DESC, q.seq)
              <= errand.room(q.origin, names, rooms, per_other, held) AS has_room
          FROM errand.requests q WHERE q.seq = ANY(seqs)
        ), roomy AS (
          SELECT seq, priority, is_other,
            row_number() OVER (PARTITION BY is_other ORDER BY priority DESC, seq) AS nth
          FROM ranked WHERE has_room
        ), taken AS (
          SELECT seq, row_number() OVER (ORDER BY priority DESC, seq) AS nth
          FROM roomy WHERE NOT is_other OR nth <= others
        )
        SELECT array_agg(seq) FILTER (WHERE nth <= most), coalesce(max(nth) > most, false), false
        INTO chosen FROM taken;
        RETURN chosen;
      END $$;
      """
  }
#endif
