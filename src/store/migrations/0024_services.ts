/** Services that run on this database, for whoever asks without calling them. */
export const statements = [
  `CREATE TABLE services (
  owner TEXT NOT NULL PRIMARY KEY CHECK (owner <> ''),
  shape TEXT NOT NULL CHECK (shape IN ('start', 'serve')),
  profile TEXT NOT NULL CHECK (profile IN ('observer', 'host')),
  repo_id TEXT CHECK ((shape = 'start') = (repo_id IS NOT NULL)),
  started_at INTEGER NOT NULL CHECK (started_at > 0),
  dashboard_url TEXT,
  control_url TEXT
) STRICT, WITHOUT ROWID`,
] as const;
