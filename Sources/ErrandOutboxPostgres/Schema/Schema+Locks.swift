#if Postgres
  extension Schema {
    /// Locks that belong to no row of the outbox. They are extra rows and a table, which only roles with
    /// rights to them can lock. Any role that may connect could take an advisory lock, and stop the fleet
    /// with it.
    static let lockTables = """
      CREATE TABLE IF NOT EXISTS errand.locks(name text PRIMARY KEY);
      INSERT INTO errand.locks SELECT 'caps ' || n FROM generate_series(0, 15) n
        UNION ALL VALUES ('arrivals'), ('days'), ('fold') ON CONFLICT DO NOTHING;
      -- Has no rows. Those that end requests share it, and what forgets them has it alone.
      CREATE TABLE IF NOT EXISTS errand.history_lock();
      """

    static let locks = """
      -- Takes a lock until the end of the transaction. Answers false, with `waits` false, if another has it.
      CREATE FUNCTION errand.lock(wanted text, waits boolean) RETURNS boolean LANGUAGE plpgsql AS $$
      BEGIN
        IF waits THEN
          PERFORM FROM errand.locks WHERE name = wanted FOR UPDATE;
        ELSE
          PERFORM FROM errand.locks WHERE name = wanted FOR UPDATE SKIP LOCKED;
        END IF;
        RETURN FOUND;
      END $$;

      CREATE FUNCTION errand.share_history() RETURNS void LANGUAGE plpgsql AS
        $$ BEGIN LOCK TABLE errand.history_lock IN ROW EXCLUSIVE MODE; END $$;

      CREATE FUNCTION errand.lock_history() RETURNS void LANGUAGE plpgsql AS
        $$ BEGIN LOCK TABLE errand.history_lock IN EXCLUSIVE MODE; END $$;
      """
  }
#endif
