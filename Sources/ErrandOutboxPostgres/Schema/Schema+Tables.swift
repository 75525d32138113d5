#if Postgres
  extension Schema {
    /// The columns of a request, the same in the three tables that it moves through.
    static let columns = [
      "seq", "id", "long_id", "lane", "long_lane", "holds", "priority", "origin", "state", "place", "due",
      "due_wall", "offline", "expires", "expires_wall", "created", "changed", "ended", "attempts", "counted",
      "owner", "lease", "lease_end", "begun", "reason", "size", "files", "revision", "summary", "content",
      "response",
    ]

    /// Few requests expire or are dropped, among many that are delivered. This index finds a page of them at
    /// once. Delivered requests have no such index, because each delivery would have to write it.
    static let pages = """
      CREATE INDEX IF NOT EXISTS history_expired ON errand.history(seq) WHERE state = 4;
      CREATE INDEX IF NOT EXISTS history_dropped ON errand.history(seq) WHERE state = 5;
      """

    /// Only open requests are in `requests`, so that the table stays small however many requests were
    /// delivered. Dead letters are in `dead`, and requests that have ended are in `history`, with a partition
    /// for each day.
    static let tables = """
      CREATE SEQUENCE errand.places;
      CREATE TABLE errand.requests(
        seq bigint PRIMARY KEY DEFAULT nextval('errand.places'),
        -- A name of more than 400 bytes is replaced by its digest here, and is whole in long_id or long_lane.
        id text COLLATE "C" NOT NULL,
        long_id text,
        lane text COLLATE "C",
        long_lane text,
        -- Whether the lane waits while this is a dead letter.
        holds boolean NOT NULL DEFAULT false,
        priority integer NOT NULL DEFAULT 0,
        origin text COLLATE "C" NOT NULL DEFAULT '',
        -- 0 stored, 1 attempting, 2 delivered, 3 dead letter, 4 expired, 5 dropped
        state smallint NOT NULL DEFAULT 0,
        -- In its lane: 0 behind others, 1 may be claimed, 2 the first of a paused lane.
        place smallint NOT NULL DEFAULT 1,
        -- Ticks; 0 for at once.
        due bigint NOT NULL DEFAULT 0,
        due_wall bigint NOT NULL DEFAULT 0,
        offline boolean NOT NULL DEFAULT false,
        expires bigint,
        expires_wall bigint,
        created bigint NOT NULL,
        changed bigint NOT NULL,
        ended bigint NOT NULL DEFAULT 0,
        attempts integer NOT NULL DEFAULT 0,
        counted integer NOT NULL DEFAULT 0,
        owner integer,
        -- How often it was claimed: a lease with another number has ended.
        lease integer NOT NULL DEFAULT 0,
        lease_end bigint,
        begun boolean NOT NULL DEFAULT false,
        reason text,
        size bigint NOT NULL,
        files text[],
        revision integer NOT NULL DEFAULT 1,
        summary bytea NOT NULL,
        content bytea,
        response bytea
      ) WITH (fillfactor = 60, toast_tuple_target = 1024, autovacuum_vacuum_scale_factor = 0.02,
        autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.1,
        autovacuum_vacuum_cost_delay = 0);
      CREATE UNIQUE INDEX requests_id ON errand.requests(id);
      CREATE INDEX requests_ready ON errand.requests(priority DESC, seq)
        WHERE state = 0 AND place = 1 AND due = 0;
      CREATE INDEX requests_ready_of ON errand.requests(origin, priority DESC, seq)
        WHERE state = 0 AND place = 1 AND due = 0;
      CREATE INDEX requests_waiting ON errand.requests(due) WHERE state = 0 AND place = 1 AND due > 0;
      CREATE INDEX requests_offline ON errand.requests(seq) WHERE offline;
      CREATE INDEX requests_expiring ON errand.requests(expires) WHERE state = 0 AND expires IS NOT NULL;
      -- Without the end of the lease, so that a renewal changes no index.
      -- What is found by its seq says `state + 0 = 1`, so that this index is not read for it.
      CREATE INDEX requests_leased ON errand.requests(owner) WHERE state = 1;
      CREATE INDEX requests_lane ON errand.requests(lane, seq) WHERE lane IS NOT NULL;

      CREATE TABLE errand.dead(LIKE errand.requests INCLUDING DEFAULTS, PRIMARY KEY (seq));
      CREATE UNIQUE INDEX dead_id ON errand.dead(id);
      CREATE INDEX dead_lane ON errand.dead(lane, seq) WHERE lane IS NOT NULL;

      CREATE TABLE errand.history(LIKE errand.requests INCLUDING DEFAULTS) PARTITION BY RANGE (ended);
      CREATE INDEX history_id ON errand.history(id);
      CREATE INDEX history_seq ON errand.history(seq);
      CREATE INDEX history_lane ON errand.history(lane, seq) WHERE lane IS NOT NULL;
      CREATE INDEX history_ended ON errand.history(ended);
      CREATE TABLE errand.days(day bigint PRIMARY KEY);

      -- The first request of each lane, by its seq; or a dead letter that blocks the lane. A function that
      -- changes the order of a lane locks its row first.
      CREATE TABLE errand.lanes(
        lane text COLLATE "C" PRIMARY KEY, paused boolean NOT NULL DEFAULT false, head bigint,
        long_lane text
      ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
      -- Lanes to which something was added since they were looked at.
      CREATE TABLE errand.arrivals(lane text COLLATE "C" NOT NULL, long_lane text)
        WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
      -- Origins to which nothing is sent for a while.
      CREATE TABLE errand.origins(
        origin text COLLATE "C" PRIMARY KEY, label bytea NOT NULL, kind smallint NOT NULL, reason text NOT NULL,
        until bigint NOT NULL, until_wall bigint NOT NULL);
      CREATE TABLE errand.files(name text COLLATE "C" PRIMARY KEY, seq bigint NOT NULL);
      CREATE INDEX files_seq ON errand.files(seq);

      -- Changes of the numbers of requests and bytes; their sums are the totals. One row for all would make
      -- everything that enqueues wait for each other. The sum of the tokens tells whether something changed.
      CREATE TABLE errand.tallies(
        owner integer, state smallint NOT NULL, count bigint NOT NULL, bytes bigint NOT NULL,
        token numeric NOT NULL DEFAULT 0
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0);
      CREATE SEQUENCE errand.tokens;
      CREATE SEQUENCE errand.owners AS integer CYCLE;
      CREATE TABLE errand.workers(
        id integer PRIMARY KEY, name text NOT NULL, version text NOT NULL,
        started timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- Ticks.
        seen timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- How long after it was seen last it counts as gone.
        lasting interval NOT NULL
      ) WITH (fillfactor = 50);
      CREATE TABLE errand.state(
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        paused boolean NOT NULL DEFAULT false,
        -- What ended at this time or before is forgotten.
        horizon bigint NOT NULL DEFAULT -1);
      INSERT INTO errand.state DEFAULT VALUES;
      \(clockTable)
      \(lockTables)
      -- When the workers were woken last.
      CREATE TABLE errand.wakes(woken timestamptz NOT NULL) WITH (fillfactor = 10);
      INSERT INTO errand.wakes VALUES ('-infinity');

      -- Large bodies. A blob of up to 1 MiB is in `data`, a larger one in pieces of that length.
      CREATE TABLE errand.blobs(
        key text COLLATE "C" PRIMARY KEY,
        -- With the digest of its bytes; null until all of them are there.
        name text,
        size bigint NOT NULL,
        -- Until then it is not swept, though no request may name it yet.
        held_until timestamptz NOT NULL,
        data bytea);
      ALTER TABLE errand.blobs ALTER COLUMN data SET STORAGE EXTERNAL;
      CREATE TABLE errand.pieces(
        key text COLLATE "C" NOT NULL REFERENCES errand.blobs ON DELETE CASCADE, number integer NOT NULL,
        data bytea NOT NULL, PRIMARY KEY (key, number));
      ALTER TABLE errand.pieces ALTER COLUMN data SET STORAGE EXTERNAL;
      -- Small values, each of which stays what it was first.
      CREATE TABLE errand.named_values(name text PRIMARY KEY, data bytea NOT NULL);

      -- What a claim takes; whether one more would be taken if the limit were higher; and whether others are
      -- claiming requests right now that this one may have to take after all.
      CREATE TYPE errand.choice AS (seqs bigint[], is_more boolean, is_contended boolean);

      CREATE TABLE errand.secrets(
        -- The endings of the names of header fields (`field`), and the names of query items (`item`), whose values
        -- are credentials.
        kind text NOT NULL CHECK (kind IN ('field', 'item')), name text NOT NULL, PRIMARY KEY (kind, name));
      INSERT INTO errand.secrets VALUES
        \(secretNames);

      CREATE VIEW errand.everything AS
        SELECT * FROM errand.requests
        UNION ALL SELECT * FROM errand.dead
        UNION ALL SELECT * FROM errand.history WHERE ended > (SELECT horizon FROM errand.state);
      """
  }
#endif
