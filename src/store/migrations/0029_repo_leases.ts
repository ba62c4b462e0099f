/** Who may push to a repo that several nodes share; on a file there are no such repos. */
export const statements = [
  // Taken, given back and run out, its generation only grows: who had an older one may not push any more.
  `CREATE TABLE repo_leases (
  repo_id TEXT NOT NULL PRIMARY KEY REFERENCES repos (id) ON DELETE CASCADE ON UPDATE CASCADE,
  owner TEXT CHECK (owner <> ''),
  node_id TEXT CHECK (node_id <> ''),
  generation INTEGER NOT NULL CHECK (generation > 0),
  until INTEGER NOT NULL CHECK (until >= 0),
  CHECK ((owner IS NULL) = (until = 0))
) STRICT, WITHOUT ROWID`,
] as const;
