/** What webhooks delivered, and what it is to cause. */
export const statements = [
  `CREATE TABLE deliveries (
  source TEXT NOT NULL CHECK (source IN ('github', 'linear')),
  id TEXT NOT NULL CHECK (id <> ''),
  event TEXT NOT NULL CHECK (event <> ''),
  subject TEXT,
  repo_id TEXT,
  outcome TEXT NOT NULL CHECK (outcome IN ('accepted', 'noted', 'ignored')),
  reason TEXT CHECK ((reason IS NOT NULL) = (outcome = 'ignored')),
  received_at INTEGER NOT NULL CHECK (received_at > 0),
  PRIMARY KEY (source, id)
) STRICT, WITHOUT ROWID`,
  `CREATE INDEX deliveries_by_time ON deliveries (received_at)`,

  `CREATE TABLE wishes (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  source TEXT NOT NULL CHECK (source IN ('github', 'linear')),
  event TEXT NOT NULL CHECK (event <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('ticket', 'run', 'review', 'closed', 'rework',
    'failed_check', 'push', 'cancel', 'trigger')),
  unique_key TEXT NOT NULL CHECK (unique_key <> ''),
  batch INTEGER NOT NULL CHECK (batch IN (0, 1)),
  items TEXT NOT NULL CHECK (json_valid(items) AND json_type(items) = 'array'),
  due_at INTEGER NOT NULL CHECK (due_at > 0),
  state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'dropped')),
  waits_for TEXT CHECK (waits_for IS NULL OR state = 'pending'),
  outcome TEXT CHECK ((outcome IS NOT NULL) = (state <> 'pending')),
  ticket_id TEXT,
  created_at INTEGER NOT NULL CHECK (created_at > 0),
  settled_at INTEGER CHECK ((settled_at IS NOT NULL) = (state <> 'pending'))
) STRICT`,
  `CREATE UNIQUE INDEX wishes_once ON wishes (repo_id, unique_key) WHERE batch = 0`,
  `CREATE UNIQUE INDEX wishes_batch ON wishes (repo_id, unique_key)
  WHERE batch = 1 AND state = 'pending'`,
  `CREATE INDEX wishes_pending ON wishes (repo_id, due_at) WHERE state = 'pending'`,
  `CREATE INDEX wishes_by_ticket ON wishes (repo_id, ticket_id) WHERE ticket_id IS NOT NULL`,
  `CREATE INDEX wishes_settled ON wishes (settled_at) WHERE state <> 'pending'`,

  `CREATE TRIGGER deliveries_follow_repo AFTER UPDATE OF id ON repos
BEGIN
  UPDATE deliveries SET repo_id = NEW.id WHERE repo_id = OLD.id;
  UPDATE wishes SET repo_id = NEW.id WHERE repo_id = OLD.id;
END`,
] as const;
