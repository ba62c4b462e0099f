/** Machines that work on one server's database as a team, and what is theirs; on a file there are none. */
export const statements = [
  `CREATE TABLE nodes (
  id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  owner TEXT CHECK (owner <> ''),
  version TEXT NOT NULL CHECK (version <> ''),
  concurrency INTEGER NOT NULL CHECK (concurrency > 0),
  abilities TEXT NOT NULL CHECK (json_valid(abilities)),
  wanted TEXT NOT NULL CHECK (wanted IN ('work', 'pause', 'drain', 'stop')),
  reason TEXT,
  started_at INTEGER NOT NULL CHECK (started_at > 0),
  beat_at INTEGER NOT NULL CHECK (beat_at > 0),
  ended_at INTEGER
) STRICT, WITHOUT ROWID`,

  `ALTER TABLE jobs ADD COLUMN node_id TEXT CHECK (node_id <> '')`,
  `ALTER TABLE jobs ADD COLUMN needs TEXT CHECK (json_valid(needs))`,

  // A node clones from the URL; without one, only the node where the folder lies works on it.
  `ALTER TABLE repos ADD COLUMN url TEXT CHECK (url <> '')`,
  `ALTER TABLE repos ADD COLUMN node_id TEXT CHECK (node_id <> '')`,
] as const;
