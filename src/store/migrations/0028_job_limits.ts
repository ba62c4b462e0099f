/** How many jobs may run at a time: of the whole database, a repo, a role, or a node. */
export const statements = [
  `CREATE TABLE job_limits (
  scope TEXT NOT NULL CHECK (scope IN ('team', 'repo', 'role', 'node')),
  key TEXT NOT NULL CHECK ((scope = 'team') = (key = '')),
  most INTEGER NOT NULL CHECK (most >= 0),
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID`,
] as const;
