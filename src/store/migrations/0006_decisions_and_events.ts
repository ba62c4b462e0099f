/** What was decided, what is still owed to the repo, and everything that happened. */
export const statements = [
  `CREATE TABLE decisions (
  id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  job_id TEXT NOT NULL CHECK (length(job_id) = 36),
  at INTEGER NOT NULL CHECK (at > 0),
  role TEXT NOT NULL CHECK (role <> ''),
  ticket_id TEXT,
  disposition TEXT NOT NULL CHECK (disposition <> ''),
  rule TEXT NOT NULL CHECK (rule <> ''),
  inputs TEXT NOT NULL CHECK (json_valid(inputs)),
  refused TEXT NOT NULL CHECK (json_valid(refused)),
  move TEXT,
  next_role TEXT,
  next_job TEXT CHECK (next_job IS NULL OR next_role IS NOT NULL),
  stop TEXT,
  applied INTEGER NOT NULL CHECK (applied IN (0, 1))
) STRICT`,
  `CREATE INDEX decisions_by_repo ON decisions (repo_id, at)`,
  `CREATE INDEX decisions_by_job ON decisions (job_id)`,

  `CREATE TABLE settlements (
  id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  decision_id TEXT CHECK (length(decision_id) = 36),
  job_id TEXT CHECK (length(job_id) = 36),
  ticket_id TEXT,
  from_state TEXT,
  to_state TEXT CHECK ((from_state IS NULL) = (to_state IS NULL)),
  unblock TEXT CHECK ((unblock IS NOT NULL) = (to_state IS NOT NULL AND to_state = 'blocked')),
  reason TEXT NOT NULL,
  actor TEXT NOT NULL CHECK (actor <> ''),
  attempt INTEGER NOT NULL CHECK (attempt IN (0, 1)),
  merge_from TEXT,
  merge_into TEXT CHECK ((merge_from IS NULL) = (merge_into IS NULL)),
  merge_commit TEXT CHECK ((merge_from IS NULL) = (merge_commit IS NULL)),
  state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'superseded')),
  waits_for TEXT CHECK (waits_for IS NULL OR state = 'pending'),
  created_at INTEGER NOT NULL CHECK (created_at > 0),
  settled_at INTEGER CHECK ((settled_at IS NOT NULL) = (state <> 'pending')),
  outcome TEXT CHECK ((outcome IS NOT NULL) = (state <> 'pending'))
) STRICT`,
  `CREATE INDEX settlements_pending ON settlements (repo_id, id) WHERE state = 'pending'`,

  `CREATE TABLE pull_requests (
  settlement_id TEXT NOT NULL PRIMARY KEY REFERENCES settlements (id) ON DELETE CASCADE,
  number INTEGER CHECK (number > 0),
  ask_at INTEGER NOT NULL CHECK (ask_at > 0)
) STRICT`,

  `CREATE TABLE events (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL CHECK (at > 0),
  type TEXT NOT NULL CHECK (type IN ('status_change', 'scan_complete', 'job_update', 'job_turn',
    'ticket_update', 'decision', 'telemetry', 'trust_change', 'score_update')),
  repo_id TEXT,
  job_id TEXT,
  data TEXT NOT NULL CHECK (json_valid(data))
) STRICT`,
  `CREATE INDEX events_by_job ON events (job_id, id) WHERE job_id IS NOT NULL`,

  `CREATE TRIGGER decisions_follow_repo AFTER UPDATE OF id ON repos
BEGIN
  UPDATE decisions SET repo_id = NEW.id WHERE repo_id = OLD.id;
  UPDATE settlements SET repo_id = NEW.id WHERE repo_id = OLD.id;
  UPDATE events SET repo_id = NEW.id WHERE repo_id = OLD.id;
END`,
] as const;
