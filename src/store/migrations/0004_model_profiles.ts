/** What was found out about models: kept, so that a run starts without asking again. */
export const statements = [
  `CREATE TABLE model_profiles (
  endpoint TEXT NOT NULL CHECK (endpoint GLOB 'http*://?*'),
  model TEXT NOT NULL CHECK (model <> ''),
  fingerprint TEXT NOT NULL CHECK (length(fingerprint) = 64 AND fingerprint NOT GLOB '*[^0-9a-f]*'),
  tools TEXT NOT NULL CHECK (tools IN ('native', 'text')),
  context_window INTEGER CHECK (context_window > 0),
  usage_reported INTEGER NOT NULL CHECK (usage_reported IN (0, 1)),
  evidence TEXT NOT NULL CHECK (evidence IN ('live', 'fixture')),
  probed_at INTEGER NOT NULL CHECK (probed_at > 0),
  PRIMARY KEY (endpoint, model)
) STRICT, WITHOUT ROWID`,
] as const;
