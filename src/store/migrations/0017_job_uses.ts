/** What the attempts of jobs used, by day, and what running ones have set aside of shared budgets. */
export const statements = [
  `CREATE TABLE job_uses (
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  generation INTEGER NOT NULL CHECK (generation >= 1),
  day TEXT NOT NULL CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  role TEXT NOT NULL CHECK (role <> ''),
  ticket_id TEXT CHECK (ticket_id <> ''),
  turns INTEGER NOT NULL CHECK (turns >= 0),
  tool_calls INTEGER NOT NULL CHECK (tool_calls >= 0),
  tokens_in INTEGER NOT NULL CHECK (tokens_in >= 0),
  tokens_cached INTEGER NOT NULL CHECK (tokens_cached >= 0),
  tokens_out INTEGER NOT NULL CHECK (tokens_out >= 0),
  cost_basis TEXT CHECK (cost_basis IN ('price', 'local', 'fixture', 'unknown')),
  cost_usd REAL CHECK (cost_usd >= 0) CHECK ((cost_usd IS NOT NULL) = (cost_basis IS 'price')),
  spent_usd REAL NOT NULL CHECK (spent_usd >= 0),
  spent_tokens INTEGER NOT NULL CHECK (spent_tokens >= 0),
  held_usd REAL NOT NULL CHECK (held_usd >= 0),
  held_tokens INTEGER NOT NULL CHECK (held_tokens >= 0),
  PRIMARY KEY (job_id, generation, day)
) STRICT, WITHOUT ROWID`,

  `CREATE INDEX job_uses_of_day ON job_uses (day, repo_id, role)`,
  `CREATE INDEX job_uses_of_ticket ON job_uses (repo_id, ticket_id) WHERE ticket_id IS NOT NULL`,

  `CREATE TRIGGER job_uses_follow_repo AFTER UPDATE OF id ON repos
BEGIN
  UPDATE job_uses SET repo_id = NEW.id WHERE repo_id = OLD.id;
END`,
] as const;
