/** What a person says to a job, and which role read it. */
export const statements = [
  `CREATE TABLE job_notes (
  id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  author TEXT NOT NULL CHECK (author <> ''),
  text TEXT NOT NULL CHECK (text <> ''),
  told_at INTEGER NOT NULL CHECK (told_at > 0),
  read_by TEXT CHECK (read_by <> ''),
  read_at INTEGER CHECK (read_at > 0),
  CHECK ((read_at IS NOT NULL) = (read_by IS NOT NULL))
) STRICT, WITHOUT ROWID`,

  `CREATE INDEX job_notes_of_job ON job_notes (job_id, id)`,
] as const;
