/// A step from one version of the file to the next. A released migration never changes.
struct Migration: Sendable {
  /// The purpose of the migration.
  let name: String
  let sql: String

  /// All migrations, the oldest first. The version of a file is the number of migrations that it has had. A program
  /// refuses a file of a later version, also while it has the file open.
  ///
  /// A change of the form of stored requests (`StoredRequest`, `StoredOptions`) needs a migration, too, even without SQL:
  /// an older program would not understand the rows.
  static let all = [
    Migration(name: "requests, their parts, and their responses", sql: firstTables),
    Migration(name: "the ends of requests, in plain columns", sql: ends),
    Migration(
      name: "the origins of requests, the holds of origins, and the bytes of all rows",
      sql: origins + "\n" + bytesInAll),
    Migration(name: "the present names of attempts and responses", sql: names),
    Migration(name: "requests that accept several ranges of statuses", sql: ""),
    Migration(name: "uploads that resume, and rate limits", sql: uploadsAndRates),
  ]

  /// Counts the bytes of each state again: about the disk space of its rows.
  private static let bytesInAll = """
    UPDATE totals SET bytes = ifnull((
      SELECT sum(
        iif(r.state IN (3, 4), r.size, 0) + iif(r.state IN (2, 4, 5), 512, 0)
        + iif(r.state IN (2, 3), ifnull(length(r.answer), 0)
          + ifnull((SELECT length(a.answer) FROM answers a WHERE a.seq = r.seq), 0), 0))
      FROM requests r WHERE r.state = totals.state), 0)
    WHERE state IN (2, 3, 4, 5);
    """

  /// Adds plain columns for the state of a finished row and for its end. With a generated column, each change
  /// of a row cost half as much again.
  private static let ends = """
    DROP INDEX over;
    ALTER TABLE requests DROP COLUMN ended;
    ALTER TABLE requests ADD COLUMN ended INTEGER;
    ALTER TABLE requests ADD COLUMN ended_at INTEGER;
    UPDATE requests SET ended = state, ended_at = changed WHERE state IN (2, 4, 5);
    CREATE INDEX over ON requests(ended, ended_at) WHERE ended IS NOT NULL;
    """

  /// Adds origins and their holds. A row's origin is empty until its request was read to find it.
  private static let origins = """
    ALTER TABLE requests ADD COLUMN origin TEXT NOT NULL DEFAULT '';
    CREATE INDEX by_origin ON requests(origin, priority DESC) WHERE turn = 1;
    -- Those that are held, until when in ticks and by the wall clock, and for how long in all.
    CREATE TABLE origins(
      origin TEXT PRIMARY KEY, label BLOB NOT NULL, kind INTEGER NOT NULL, reason TEXT NOT NULL,
      until INTEGER NOT NULL, until_wall INTEGER NOT NULL, delay INTEGER NOT NULL
    ) WITHOUT ROWID;
    """

  private static let uploadsAndRates = """
    CREATE TABLE uploads(seq INTEGER PRIMARY KEY, upload BLOB NOT NULL);
    -- When the bucket of an origin is full, in nanoseconds.
    CREATE TABLE rates(origin TEXT PRIMARY KEY, full INTEGER NOT NULL) WITHOUT ROWID;
    """

  private static let names = """
    ALTER TABLE requests RENAME COLUMN tries TO attempts;
    ALTER TABLE requests RENAME COLUMN answer TO response;
    ALTER TABLE answers RENAME TO responses;
    ALTER TABLE responses RENAME COLUMN answer TO response;
    """

  private static let firstTables = """
    CREATE TABLE requests(
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      lane TEXT,
      holds INTEGER NOT NULL,
      priority INTEGER NOT NULL,
      state INTEGER NOT NULL,
      -- Its place in its lane: null for none, 0 behind others, 1 for the first, 2 for the first of a paused lane.
      head INTEGER,
      -- Ticks; 0 for at once.
      due INTEGER NOT NULL DEFAULT 0,
      due_wall INTEGER NOT NULL DEFAULT 0,
      delay INTEGER NOT NULL DEFAULT 0,
      offline INTEGER NOT NULL DEFAULT 0,
      -- Ticks.
      expires INTEGER,
      expires_wall INTEGER,
      lifetime INTEGER,
      created INTEGER NOT NULL,
      changed INTEGER NOT NULL,
      tries INTEGER NOT NULL DEFAULT 0,
      counted INTEGER NOT NULL DEFAULT 0,
      owner TEXT,
      lease INTEGER NOT NULL DEFAULT 0,
      lease_end INTEGER,
      reason TEXT,
      size INTEGER NOT NULL,
      -- How many it has.
      files INTEGER NOT NULL,
      summary BLOB NOT NULL,
      -- Of its content, wherever that is; null if it has none any more.
      checksum INTEGER,
      -- Null if it is in a table of its own.
      content BLOB,
      answer BLOB,
      -- For those that wait: 1 if it may be claimed, 0 if not, 2 if it is set aside.
      turn INTEGER GENERATED ALWAYS AS (CASE state WHEN 0 THEN head IS 1 AND due = 0 WHEN 3 THEN 2 END) VIRTUAL,
      ended INTEGER GENERATED ALWAYS AS (CASE WHEN state IN (2, 4, 5) THEN state END) VIRTUAL,
      queued INTEGER GENERATED ALWAYS AS (head IS NOT NULL) VIRTUAL
    );
    CREATE INDEX by_turn ON requests(turn, priority DESC) WHERE turn IS NOT NULL;
    CREATE INDEX by_lane ON requests(lane, queued) WHERE lane IS NOT NULL;
    CREATE UNIQUE INDEX heads ON requests(lane) WHERE head > 0 AND lane IS NOT NULL;
    CREATE INDEX waiting ON requests(due) WHERE state = 0 AND head = 1 AND due > 0;
    CREATE INDEX offline ON requests(offline) WHERE offline = 1;
    CREATE INDEX expiring ON requests(expires) WHERE state = 0 AND expires IS NOT NULL;
    CREATE INDEX leased ON requests(owner, lease_end) WHERE state = 1;
    CREATE INDEX over ON requests(ended, changed) WHERE ended IS NOT NULL;

    -- What is long is apart, so that a change of state does not write it again.
    CREATE TABLE contents(seq INTEGER PRIMARY KEY, content BLOB NOT NULL);
    CREATE TABLE answers(seq INTEGER PRIMARY KEY, answer BLOB NOT NULL);
    CREATE TABLE files(name TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX files_of ON files(seq);
    CREATE TABLE paused(lane TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;

    CREATE TABLE totals(state INTEGER PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL);
    INSERT INTO totals VALUES (0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0), (5, 0, 0);
    """
}
