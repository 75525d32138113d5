#if Postgres
  extension Schema {
    /// The token buckets of rate limits, by origin: the same arithmetic as in `RateBucket`.
    static let rates = """
      CREATE TABLE IF NOT EXISTS errand.rates(origin text COLLATE "C" PRIMARY KEY, until bigint NOT NULL)
        WITH (fillfactor = 50);

      -- Takes a token. Answers how long to wait before the request asks again (0 if it may be sent), and how long the
      -- next request has to wait, in nanoseconds. The note need not outlive the server's machine.
      CREATE OR REPLACE FUNCTION errand.take_pass(
        at bigint[], of_origin text, spacing bigint, tolerance bigint, OUT wait bigint, OUT next bigint
      ) LANGUAGE plpgsql \(pinned) \(planning) AS $$
      DECLARE
        now_time bigint;
        known bigint;
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        INSERT INTO errand.rates VALUES (of_origin, 0) ON CONFLICT DO NOTHING;
        SELECT r.until INTO known FROM errand.rates r WHERE r.origin = of_origin FOR UPDATE;
        -- Not earlier: the lock may have taken long.
        now_time := coalesce(at[1], errand.ticks()) * 1000000;
        known := least(greatest(known, now_time), now_time + tolerance + spacing);
        wait := greatest(0, known - tolerance - now_time);
        next := 0;
        IF wait > 0 THEN RETURN; END IF;
        next := greatest(0, known + spacing - tolerance - now_time);
        UPDATE errand.rates r SET until = known + spacing WHERE r.origin = of_origin;
      END $$;
      """
  }
#endif
