/** The registry of repos, their recorded checks, and facts about the file itself. */
export const statements = [
  `CREATE TABLE meta (
  key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID`,

  `CREATE TABLE repos (
  id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 12 AND id NOT GLOB '*[^0-9a-f]*'),
  path TEXT NOT NULL UNIQUE CHECK (path GLOB '/*'),
  remote TEXT CHECK (remote GLOB '?*/?*' AND remote NOT GLOB '*/*/*'),
  branch TEXT NOT NULL CHECK (branch <> ''),
  created_at INTEGER NOT NULL CHECK (created_at > 0),
  updated_at INTEGER NOT NULL CHECK (updated_at > 0)
) STRICT`,

  `CREATE INDEX repos_by_remote ON repos (remote) WHERE remote IS NOT NULL`,

  // A check may be of a repo that is not registered, so repo_id is no foreign key.
  `CREATE TABLE checks (
  id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  name TEXT NOT NULL CHECK (name <> ''),
  role TEXT NOT NULL CHECK (role <> ''),
  command TEXT NOT NULL CHECK (json_valid(command)),
  outcome TEXT NOT NULL CHECK (outcome IN ('passed', 'checks_failed')),
  ending TEXT NOT NULL
    CHECK (ending IN ('exited', 'signalled', 'timed_out', 'crowded', 'not_started')),
  exit_code INTEGER CHECK ((exit_code IS NOT NULL) = (ending = 'exited')),
  signal TEXT CHECK ((signal IS NOT NULL) = (ending = 'signalled')),
  reason TEXT CHECK ((reason IS NULL) = (outcome = 'passed')),
  started_at INTEGER NOT NULL CHECK (started_at > 0),
  duration_ms INTEGER NOT NULL CHECK (duration_ms >= 0),
  log_path TEXT NOT NULL CHECK (log_path GLOB '/*'),
  CHECK ((outcome = 'passed') = (ending = 'exited' AND exit_code = 0))
) STRICT`,

  `CREATE INDEX checks_by_repo ON checks (repo_id, started_at)`,

  // A repo that moved keeps its history: its id follows its path.
  `CREATE TRIGGER checks_follow_repo AFTER UPDATE OF id ON repos
BEGIN
  UPDATE checks SET repo_id = NEW.id WHERE repo_id = OLD.id;
END`,
] as const;
