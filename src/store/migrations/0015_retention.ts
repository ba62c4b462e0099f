/** What retention removed, so that whoever asks for it later is told, and which times it believes. */
export const statements = [
  `CREATE TABLE removals (
  id TEXT NOT NULL CHECK (length(id) = 36),
  what TEXT NOT NULL CHECK (what IN ('files', 'job', 'decision')),
  job_id TEXT NOT NULL CHECK (length(job_id) = 36),
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  role TEXT NOT NULL CHECK (role <> ''),
  ticket_id TEXT,
  disposition TEXT NOT NULL CHECK (disposition <> ''),
  ended_at INTEGER NOT NULL CHECK (ended_at > 0),
  removed_at INTEGER NOT NULL CHECK (removed_at > 0),
  PRIMARY KEY (id, what),
  CHECK ((id = job_id) = (what <> 'decision'))
) STRICT, WITHOUT ROWID`,
  `CREATE INDEX removals_by_time ON removals (removed_at)`,

  `CREATE TABLE retention_state (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  believed_at INTEGER CHECK (believed_at > 0),
  doubted_at INTEGER CHECK (doubted_at > 0),
  ran_at INTEGER CHECK (ran_at > 0)
) STRICT`,

  `CREATE TRIGGER removals_follow_repo AFTER UPDATE OF id ON repos
BEGIN
  UPDATE removals SET repo_id = NEW.id WHERE repo_id = OLD.id;
END`,
] as const;
