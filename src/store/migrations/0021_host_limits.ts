/** Code hosts that want no requests for a while. */
export const statements = [
  `CREATE TABLE host_limits (
  host TEXT NOT NULL PRIMARY KEY CHECK (host <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('primary', 'secondary')),
  until INTEGER NOT NULL CHECK (until > 0),
  refusals INTEGER NOT NULL CHECK (refusals > 0)
) STRICT, WITHOUT ROWID`,
] as const;
