/** What code-graph assistance came to, one row a job. */
export const statements = [
  `CREATE TABLE code_evidence (
  job_id TEXT NOT NULL PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
  assisted INTEGER NOT NULL CHECK (assisted IN (0, 1)),
  offered TEXT NOT NULL CHECK (json_valid(offered) AND json_type(offered) = 'array'),
  offered_ms INTEGER CHECK (offered_ms >= 0),
  changed TEXT NOT NULL CHECK (json_valid(changed) AND json_type(changed) = 'array'),
  changed_files INTEGER NOT NULL CHECK (changed_files >= json_array_length(changed)),
  hits INTEGER NOT NULL CHECK (hits BETWEEN 0 AND changed_files),
  first_edit_turn INTEGER CHECK (first_edit_turn > 0),
  reads_before_edit INTEGER NOT NULL CHECK (reads_before_edit >= 0),
  CHECK ((offered_ms IS NOT NULL) = assisted),
  CHECK (assisted OR json_array_length(offered) = 0),
  CHECK (hits <= json_array_length(offered))
) STRICT, WITHOUT ROWID`,
] as const;
