/** How checks ended on commits from which work sets out. */
export const statements = [
  `CREATE TABLE base_checks (
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  commit_id TEXT NOT NULL CHECK (length(commit_id) IN (40, 64)),
  definition TEXT NOT NULL CHECK (length(definition) = 64),
  name TEXT NOT NULL CHECK (name <> ''),
  outcome TEXT NOT NULL CHECK (outcome IN ('passed', 'checks_failed')),
  said TEXT NOT NULL,
  checked_at INTEGER NOT NULL CHECK (checked_at > 0),
  PRIMARY KEY (repo_id, commit_id, definition)
) STRICT, WITHOUT ROWID`,

  // A repo that moved keeps what is known of its commits: its id follows its path.
  `CREATE TRIGGER base_checks_follow_repo AFTER UPDATE OF id ON repos
BEGIN
  UPDATE base_checks SET repo_id = NEW.id WHERE repo_id = OLD.id;
END`,
] as const;
