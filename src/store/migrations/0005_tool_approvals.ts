/** Which tools of a repo may run, each by the hash of what was approved. */
export const statements = [
  `CREATE TABLE tool_approvals (
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  name TEXT NOT NULL CHECK (name <> ''),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  approved_by TEXT NOT NULL CHECK (approved_by = 'person' OR approved_by GLOB 'agent:?*'),
  approved_at INTEGER NOT NULL CHECK (approved_at > 0),
  PRIMARY KEY (repo_id, name, sha256)
) STRICT, WITHOUT ROWID`,

  `CREATE TRIGGER tool_approvals_follow_repo AFTER UPDATE OF id ON repos
BEGIN
  UPDATE OR REPLACE tool_approvals SET repo_id = NEW.id WHERE repo_id = OLD.id;
END`,
] as const;
