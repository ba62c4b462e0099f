/** Anonymous reports: what waits to be sent, how far they have come, and what a collector took. */
export const statements = [
  `CREATE TABLE telemetry_outbox (
  report_id TEXT NOT NULL PRIMARY KEY CHECK (length(report_id) = 36),
  body TEXT NOT NULL CHECK (json_valid(body)),
  queued_at INTEGER NOT NULL CHECK (queued_at > 0),
  state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'refused')),
  settled_at INTEGER CHECK (settled_at > 0),
  CHECK ((settled_at IS NOT NULL) = (state <> 'pending'))
) STRICT, WITHOUT ROWID`,

  `CREATE TABLE telemetry_state (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  key TEXT NOT NULL CHECK (length(key) = 64),
  reported_until INTEGER CHECK (reported_until > 0),
  looked_at INTEGER CHECK (looked_at > 0),
  failures INTEGER NOT NULL CHECK (failures >= 0),
  retry_at INTEGER CHECK (retry_at > 0)
) STRICT`,
  `INSERT INTO telemetry_state (id, key, failures) VALUES (1, hex(randomblob(32)), 0)`,

  `CREATE TABLE telemetry_intake (
  id INTEGER NOT NULL PRIMARY KEY,
  report_id TEXT NOT NULL UNIQUE CHECK (length(report_id) = 36),
  received_at INTEGER NOT NULL CHECK (received_at > 0),
  body TEXT NOT NULL CHECK (json_valid(body))
) STRICT`,
  `CREATE INDEX telemetry_intake_by_time ON telemetry_intake (received_at)`,
] as const;
