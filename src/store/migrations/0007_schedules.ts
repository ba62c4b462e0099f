/** How far the ticks of each schedule are dealt with, so that one tick gives one job. */
export const statements = [
  `CREATE TABLE schedules (
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  role TEXT NOT NULL CHECK (role <> ''),
  schedule TEXT NOT NULL CHECK (schedule <> ''),
  counted_to INTEGER NOT NULL CHECK (counted_to > 0),
  PRIMARY KEY (repo_id, role, schedule)
) STRICT, WITHOUT ROWID`,

  `CREATE TRIGGER schedules_follow_repo AFTER UPDATE OF id ON repos
BEGIN
  UPDATE OR REPLACE schedules SET repo_id = NEW.id WHERE repo_id = OLD.id;
END`,
] as const;
