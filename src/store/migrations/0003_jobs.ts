/** The job queue: jobs, the lanes that hold some of them back, and whether any may be claimed. */
export const statements = [
  `CREATE TABLE jobs (
  id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  role TEXT NOT NULL CHECK (role <> ''),
  ticket_id TEXT CHECK (ticket_id <> ''),
  trigger TEXT NOT NULL CHECK (trigger IN ('manual', 'bootstrap', 'route', 'ticket', 'cron',
    'webhook', 'scan_complete', 'liveness')),
  source_trust TEXT NOT NULL CHECK (source_trust IN ('observer', 'contributor')),
  payload TEXT NOT NULL CHECK (json_valid(payload) AND json_type(payload) = 'object'),
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed')),
  disposition TEXT CHECK (disposition IN ('submitted', 'approved', 'changes_requested', 'planned',
    'routed', 'reported', 'no_work', 'blocked', 'checks_failed', 'budget_exhausted',
    'turns_exhausted', 'stuck', 'timed_out', 'cancelled', 'policy_denied', 'model_error',
    'internal_error')),
  category TEXT CHECK (category IN ('model_unreachable', 'model_protocol', 'rate_limited',
    'context_overflow', 'tool_error', 'policy_denied', 'checks_failed', 'budget', 'turns', 'stuck',
    'timeout', 'git_conflict', 'lease_expired', 'internal')),
  reason TEXT,
  attempt INTEGER NOT NULL CHECK (attempt >= 0),
  max_attempts INTEGER NOT NULL CHECK (max_attempts >= 1),
  crashes INTEGER NOT NULL CHECK (crashes >= 0),
  generation INTEGER NOT NULL CHECK (generation >= 0),
  run_after INTEGER NOT NULL CHECK (run_after >= 0),
  priority INTEGER NOT NULL,
  parallel INTEGER NOT NULL CHECK (parallel IN (0, 1)),
  lease_owner TEXT CHECK (lease_owner <> ''),
  lease_until INTEGER,
  heartbeat_at INTEGER,
  cancel_requested INTEGER NOT NULL CHECK (cancel_requested IN (0, 1)),
  created_at INTEGER NOT NULL CHECK (created_at > 0),
  started_at INTEGER CHECK (started_at > 0),
  finished_at INTEGER CHECK (finished_at > 0),
  turns INTEGER NOT NULL CHECK (turns >= 0),
  tokens_in INTEGER NOT NULL CHECK (tokens_in >= 0),
  tokens_out INTEGER NOT NULL CHECK (tokens_out >= 0),
  tool_calls INTEGER NOT NULL CHECK (tool_calls >= 0),
  lane TEXT CHECK (lane <> ''),
  model TEXT,
  evidence TEXT CHECK (evidence IN ('live', 'fixture')),
  head_commit TEXT,
  trace_path TEXT,
  caused_by TEXT,
  unique_key TEXT CHECK (unique_key <> ''),
  CHECK (attempt <= max_attempts),
  CHECK (attempt <= generation),
  CHECK (lease_until > heartbeat_at),
  CHECK ((finished_at IS NOT NULL) = (status IN ('completed', 'failed'))),
  CHECK ((disposition IS NOT NULL) = (status IN ('completed', 'failed'))),
  CHECK ((lease_owner IS NOT NULL) = (status = 'running')),
  CHECK ((lease_until IS NOT NULL) = (status = 'running')),
  CHECK ((heartbeat_at IS NOT NULL) = (status = 'running')),
  CHECK (status <> 'running' OR (attempt >= 1 AND started_at IS NOT NULL)),
  CHECK (cancel_requested = 0 OR status <> 'pending')
) STRICT`,

  // In the order of the claim, and with all it asks of a job: those it passes over cost no look-up.
  `CREATE INDEX jobs_pending ON jobs
  (priority, run_after, id, repo_id, role, ticket_id, parallel, lane) WHERE status = 'pending'`,
  `CREATE UNIQUE INDEX jobs_running_ticket ON jobs (repo_id, ticket_id)
  WHERE status = 'running' AND ticket_id IS NOT NULL`,
  `CREATE UNIQUE INDEX jobs_running_role ON jobs (repo_id, role)
  WHERE status = 'running' AND parallel = 0`,
  `CREATE INDEX jobs_running ON jobs (heartbeat_at) WHERE status = 'running'`,
  `CREATE UNIQUE INDEX jobs_live_key ON jobs (unique_key)
  WHERE status IN ('pending', 'running') AND unique_key IS NOT NULL`,
  `CREATE INDEX jobs_by_status ON jobs (repo_id, status)`,
  `CREATE INDEX jobs_by_ticket ON jobs (repo_id, ticket_id, created_at)
  WHERE ticket_id IS NOT NULL`,
  `CREATE INDEX jobs_recent ON jobs (created_at, id)`,
  `CREATE INDEX jobs_failed ON jobs (repo_id, role, finished_at) WHERE status = 'failed'`,

  `CREATE TABLE lanes (
  kind TEXT NOT NULL CHECK (kind IN ('model', 'role')),
  key TEXT NOT NULL CHECK (key <> ''),
  reason TEXT NOT NULL CHECK (reason <> ''),
  category TEXT,
  paused_at INTEGER NOT NULL CHECK (paused_at > 0),
  until INTEGER,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID`,

  `CREATE TABLE queue_state (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
  reason TEXT CHECK ((reason IS NOT NULL) = (paused = 1)),
  since INTEGER CHECK ((since IS NOT NULL) = (paused = 1))
) STRICT`,

  `CREATE TRIGGER jobs_follow_repo AFTER UPDATE OF id ON repos
BEGIN
  UPDATE jobs SET repo_id = NEW.id WHERE repo_id = OLD.id;
  UPDATE lanes SET key = NEW.id || substr(key, 13)
    WHERE kind = 'role' AND substr(key, 1, 13) = OLD.id || '/';
END`,
] as const;
