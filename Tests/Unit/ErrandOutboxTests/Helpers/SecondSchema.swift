/// The tables that version 2 of the file format created, copied here so that later changes do not affect
/// them.
enum SecondSchema {
  static let sql = """
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA journal_mode = WAL;
    PRAGMA application_id = 0x45524E44;
    PRAGMA user_version = 2;
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
    DROP INDEX over;
    ALTER TABLE requests DROP COLUMN ended;
    ALTER TABLE requests ADD COLUMN ended INTEGER;
    ALTER TABLE requests ADD COLUMN ended_at INTEGER;
    UPDATE requests SET ended = state, ended_at = changed WHERE state IN (2, 4, 5);
    CREATE INDEX over ON requests(ended, ended_at) WHERE ended IS NOT NULL;
    """
}
