#if Postgres
  extension Schema {
    /// The uploads that servers have of requests, as far as they have come.
    static let uploads = """
      CREATE TABLE IF NOT EXISTS errand.uploads(seq bigint PRIMARY KEY, upload bytea NOT NULL);

      -- Stores the upload of a request that is being attempted. Answers whether its lease is held.
      CREATE OR REPLACE FUNCTION errand.keep_upload(
        of_seq bigint, of_lease bigint, given bytea, made_progress boolean
      ) RETURNS boolean LANGUAGE plpgsql \(pinned) \(planning) AS $$
      BEGIN
        PERFORM errand.be_durable();
        UPDATE errand.requests SET counted = CASE WHEN made_progress THEN 1 ELSE counted END
          WHERE seq = of_seq AND state + 0 = 1 AND lease & 16777215 = of_lease;
        IF NOT FOUND THEN RETURN false; END IF;
        INSERT INTO errand.uploads VALUES (of_seq, given) ON CONFLICT (seq) DO UPDATE SET upload = excluded.upload;
        RETURN true;
      END $$;
      """
  }
#endif
