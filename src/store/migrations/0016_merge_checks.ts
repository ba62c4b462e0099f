/** Checks of merges before they land, the word that lets unchecked work in, and whose fault a block was. */
export const statements = [
  `CREATE TABLE merge_checks (
  settlement_id TEXT NOT NULL PRIMARY KEY REFERENCES settlements (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  into_commit TEXT NOT NULL CHECK (length(into_commit) IN (40, 64)),
  files TEXT NOT NULL CHECK (length(files) = 64),
  owner TEXT CHECK (owner <> ''),
  outcome TEXT CHECK (outcome IN ('passed', 'checks_failed')),
  said TEXT CHECK ((said IS NOT NULL) = (outcome IS NOT NULL)),
  at INTEGER NOT NULL CHECK (at > 0),
  CHECK (owner IS NULL OR outcome IS NULL)
) STRICT, WITHOUT ROWID`,

  // One at a time: they share a work tree.
  `CREATE UNIQUE INDEX merge_checks_running ON merge_checks (repo_id) WHERE owner IS NOT NULL`,

  `CREATE TABLE check_waivers (
  repo_id TEXT NOT NULL PRIMARY KEY CHECK (length(repo_id) = 12),
  reason TEXT NOT NULL CHECK (reason <> ''),
  waived_at INTEGER NOT NULL CHECK (waived_at > 0)
) STRICT, WITHOUT ROWID`,

  `ALTER TABLE settlements ADD COLUMN fault TEXT CHECK (fault = 'environment')
  CHECK (fault IS NULL OR to_state = 'blocked')`,

  `CREATE TRIGGER merge_checks_follow_repo AFTER UPDATE OF id ON repos
BEGIN
  UPDATE merge_checks SET repo_id = NEW.id WHERE repo_id = OLD.id;
  UPDATE OR REPLACE check_waivers SET repo_id = NEW.id WHERE repo_id = OLD.id;
END`,
] as const;
