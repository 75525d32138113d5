#if Postgres
  extension Schema {
    /// The clock of a fleet. Its ticks keep their pace when the server's clock is set.
    ///
    /// A worker counts ticks by its machine's clock (`FleetClock`), and sends them with each statement, so
    /// that nothing that it does depends on the server's clock. It compares them with the server's ticks
    /// several times within its `absence`. When they differ, the server's clock was set, and `set_clock` sets
    /// the server's ticks to those of the worker. The server's ticks are for workers that begin, and for SQL
    /// that enqueues.
    static let clockTable = """
      CREATE TABLE IF NOT EXISTS errand.clock(
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        -- The milliseconds that ticks are ahead of the server's clock.
        drift bigint NOT NULL DEFAULT 0,
        -- The latest ticks that a worker's clock has confirmed. Ticks never go back behind them.
        confirmed bigint NOT NULL DEFAULT 0
      ) WITH (fillfactor = 10);
      INSERT INTO errand.clock DEFAULT VALUES ON CONFLICT DO NOTHING;
      """

    static let clock = """
      -- The one place that reads the server's clock.
      CREATE FUNCTION errand.wall() RETURNS bigint LANGUAGE sql VOLATILE AS
        $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

      -- Milliseconds by the server's clock, as if it was never set.
      CREATE FUNCTION errand.ticks() RETURNS bigint LANGUAGE plpgsql VOLATILE AS
        $$ BEGIN RETURN (SELECT greatest(errand.wall() + drift, confirmed) FROM errand.clock); END $$;

      -- The ticks by which workers are alive. A test sets the time of requests (and of the wall clock) by itself.
      CREATE FUNCTION errand.pulse(at bigint[]) RETURNS bigint LANGUAGE sql VOLATILE AS
        $$ SELECT CASE WHEN at[2] IS NULL THEN coalesce(at[1], errand.ticks()) ELSE errand.ticks() END $$;

      -- Ticks, in the form in which signs of life are stored.
      CREATE FUNCTION errand.instant(ticks bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS
        $$ SELECT to_timestamp(0) + ticks * interval '1 millisecond' $$;

      -- Reads the server's ticks, and what they are ahead of its clock.
      CREATE FUNCTION errand.read_clock() RETURNS TABLE(ticks bigint, drift bigint)
      LANGUAGE plpgsql VOLATILE \(pinned) AS $$
      BEGIN
        PERFORM errand.set_clock(c.drift, c.confirmed) FROM errand.clock c WHERE errand.wall() + c.drift < c.confirmed;
        RETURN QUERY SELECT errand.wall() + c.drift, c.drift FROM errand.clock c;
      END $$;

      -- Has the server's ticks go on at `wanted`, unless another worker has set them since they were read, or a
      -- worker has confirmed later ones: then the clock of the worker that asks stood still.
      CREATE FUNCTION errand.set_clock(known bigint, wanted bigint) RETURNS void
      LANGUAGE plpgsql VOLATILE \(pinned) AS $$
      BEGIN
        UPDATE errand.clock c SET drift = wanted - errand.wall()
          WHERE c.drift = known AND c.confirmed <= wanted + 1000;
      END $$;

      -- Notes that a worker lives, and reads the server's ticks. With `confirms`, the worker's confirm them, if they are
      -- the same. A heartbeat that arrives after a later one changes nothing: a frozen session may run it late.
      CREATE FUNCTION errand.beat(at bigint[], me integer, confirms boolean)
      RETURNS TABLE(ticks bigint, drift bigint) LANGUAGE plpgsql VOLATILE \(pinned) AS $$
      #variable_conflict use_column
      DECLARE
        now_ticks bigint := errand.pulse(at);
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        UPDATE errand.workers SET seen = greatest(seen, errand.instant(now_ticks)) WHERE id = me;
        IF confirms THEN
          UPDATE errand.clock SET confirmed = now_ticks
            WHERE confirmed < now_ticks AND abs(errand.wall() + drift - now_ticks) <= \(FleetClock.tolerance);
        END IF;
        RETURN QUERY SELECT errand.wall() + c.drift, c.drift FROM errand.clock c;
      END $$;

      -- Notes that a worker lives, if that was not noted lately.
      CREATE FUNCTION errand.live(at bigint[], me integer) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        now_ticks bigint := errand.pulse(at);
      BEGIN
        UPDATE errand.workers SET seen = errand.instant(now_ticks)
          WHERE id = me AND seen < errand.instant(now_ticks) - lasting / 4;
      END $$;

      -- When a request may be taken from its worker: at the end of its lease, or of the worker's absence. Another worker
      -- takes it only after it has listened for half of an absence: by then a live worker would have given a sign of
      -- life, and would have corrected the clock.
      CREATE FUNCTION errand.free_from(
        now_ticks bigint, pulse bigint, following bigint, me integer, owner integer, lease_end bigint, w errand.workers
      ) RETURNS bigint LANGUAGE sql STABLE AS $$
        SELECT CASE
          WHEN owner = me THEN lease_end
          WHEN w.id IS NULL THEN now_ticks
          ELSE greatest(
            least(lease_end, now_ticks + 1
              + ceil(extract(epoch FROM w.seen + w.lasting - errand.instant(pulse)) * 1000)::bigint),
            CASE WHEN following < extract(epoch FROM w.lasting) * 500
              THEN now_ticks + ceil(extract(epoch FROM w.lasting) * 500)::bigint - following END)
        END
      $$;
      """
  }
#endif
