/** Which commits of a branch svc made or found, and for which job. */
export const statements = [
  `CREATE TABLE job_commits (
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  branch TEXT NOT NULL CHECK (branch <> ''),
  commit_id TEXT NOT NULL CHECK (length(commit_id) IN (40, 64)),
  job_id TEXT NOT NULL CHECK (job_id <> ''),
  role TEXT NOT NULL CHECK (role <> ''),
  at INTEGER NOT NULL CHECK (at > 0),
  PRIMARY KEY (repo_id, branch, commit_id)
) STRICT, WITHOUT ROWID`,

  `CREATE TRIGGER job_commits_follow_repo AFTER UPDATE OF id ON repos
BEGIN
  UPDATE OR IGNORE job_commits SET repo_id = NEW.id WHERE repo_id = OLD.id;
END`,
] as const;
