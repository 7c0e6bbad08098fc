internal import SQLite

/// The tables of the store, and the way from each version of them to the next.
///
/// Times are milliseconds since 1970. JSON stands as its text.
enum Schema1 {
  static let sql = """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY) WITHOUT ROWID, STRICT;

    CREATE TABLE event (
      sequence INTEGER PRIMARY KEY, type TEXT NOT NULL, time INTEGER NOT NULL, text BLOB NOT NULL
    ) STRICT;

    CREATE TABLE instance (
      name TEXT PRIMARY KEY, has_polled INTEGER NOT NULL, failure TEXT
    ) WITHOUT ROWID, STRICT;

    CREATE TABLE task (
      id INTEGER PRIMARY KEY, instance TEXT NOT NULL, key TEXT NOT NULL,
      -- What is kept in memory too, and the backend's own record.
      revision TEXT NOT NULL, record BLOB NOT NULL, raw BLOB NOT NULL,
      fingerprint INTEGER, pending TEXT, closed_at INTEGER,
      UNIQUE (instance, key)
    ) STRICT;

    CREATE TABLE task_step (
      task INTEGER NOT NULL, number INTEGER NOT NULL, time INTEGER NOT NULL, what TEXT NOT NULL,
      PRIMARY KEY (task, number)
    ) WITHOUT ROWID, STRICT;

    -- What tasks were before their last changes.
    CREATE TABLE task_form (
      number INTEGER PRIMARY KEY, task INTEGER NOT NULL, revision TEXT NOT NULL, record BLOB NOT NULL, raw BLOB NOT NULL
    ) STRICT;
    CREATE INDEX task_form_task ON task_form (task);

    CREATE TABLE hook (
      name TEXT PRIMARY KEY,
      -- The last event up to which each is settled, or has a row in delivery.
      place INTEGER NOT NULL,
      lost INTEGER NOT NULL, dropped INTEGER NOT NULL, last_error TEXT
    ) WITHOUT ROWID, STRICT;

    CREATE TABLE delivery (
      hook TEXT NOT NULL, sequence INTEGER NOT NULL,
      -- A copy, since it may outlive the event in the log.
      event BLOB NOT NULL,
      is_failed INTEGER NOT NULL, attempts INTEGER NOT NULL, last_error TEXT, exit_status INTEGER, signal INTEGER,
      started_at INTEGER, finished_at INTEGER,
      PRIMARY KEY (hook, sequence)
    ) STRICT;

    -- What a hook was done with beyond its place.
    CREATE TABLE delivered (
      hook TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (hook, sequence)
    ) WITHOUT ROWID, STRICT;

    CREATE TABLE job (
      name TEXT PRIMARY KEY, schedule TEXT NOT NULL, last INTEGER, last_duration INTEGER, last_error TEXT,
      failures INTEGER NOT NULL, slot INTEGER, held_until INTEGER,
      is_paused INTEGER NOT NULL
    ) WITHOUT ROWID, STRICT;

    CREATE TABLE idempotency_key (
      -- The hash of method and params; whether it was begun, done or can't be told; what was answered.
      listener TEXT NOT NULL, key TEXT NOT NULL, request BLOB NOT NULL, state TEXT NOT NULL, task TEXT, answer BLOB,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (listener, key)
    ) WITHOUT ROWID, STRICT;
    CREATE INDEX idempotency_key_created_at ON idempotency_key (created_at);

    CREATE TABLE audit (
      -- A chain: SHA-256 of the hash before and the text.
      number INTEGER PRIMARY KEY, text TEXT NOT NULL, hash BLOB NOT NULL
    ) STRICT;
    CREATE INDEX audit_task ON audit (json_extract(text, '$.task'));
    CREATE INDEX audit_action ON audit (json_extract(text, '$.action'));
    CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
      BEGIN SELECT RAISE(ABORT, 'the audit log is never changed'); END;
    CREATE TRIGGER audit_is_not_shortened BEFORE DELETE ON audit
      BEGIN SELECT RAISE(ABORT, 'nothing is ever taken out of the audit log'); END;

    CREATE TABLE plugin_state (
      instance TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (instance, key)
    ) WITHOUT ROWID, STRICT;
    """
}

extension Migrator {
  /// To the schema of this program.
  static let store = Migrator([{ try $0.execute(Schema1.sql) }])
}
