/** What a job cost when it ended, since prices change; what ended before is not known. */
export const statements = [
  `ALTER TABLE jobs ADD COLUMN tokens_cached INTEGER NOT NULL DEFAULT 0 CHECK (tokens_cached >= 0)`,
  `ALTER TABLE jobs ADD COLUMN cost_basis TEXT
  CHECK (cost_basis IN ('price', 'local', 'fixture', 'unknown'))`,
  `ALTER TABLE jobs ADD COLUMN cost_usd REAL
  CHECK (cost_usd >= 0) CHECK ((cost_usd IS NOT NULL) = (cost_basis IS 'price'))`,
  `UPDATE jobs SET cost_basis = iif(evidence = 'fixture', 'fixture', 'unknown')
  WHERE finished_at IS NOT NULL AND tokens_in + tokens_out > 0`,
] as const;
