/** Who may do what on which repo, how that came to be, and what was refused. */
export const statements = [
  `CREATE TABLE trust (
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  role TEXT NOT NULL CHECK (role <> ''),
  level TEXT NOT NULL CHECK (level IN ('observer', 'contributor')),
  reason TEXT NOT NULL CHECK (trim(reason) <> ''),
  set_by TEXT NOT NULL CHECK (set_by <> ''),
  set_at INTEGER NOT NULL CHECK (set_at > 0),
  automatic INTEGER NOT NULL CHECK (automatic = 0 OR (automatic = 1 AND level = 'observer')),
  PRIMARY KEY (repo_id, role)
) STRICT, WITHOUT ROWID`,

  `CREATE TABLE trust_audit (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL CHECK (at > 0),
  who TEXT NOT NULL CHECK (who <> ''),
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  role TEXT NOT NULL CHECK (role <> ''),
  from_level TEXT NOT NULL CHECK (from_level IN ('observer', 'contributor')),
  to_level TEXT NOT NULL CHECK (to_level IN ('observer', 'contributor')),
  reason TEXT NOT NULL CHECK (trim(reason) <> ''),
  automatic INTEGER NOT NULL CHECK (automatic = 0
    OR (automatic = 1 AND from_level = 'contributor' AND to_level = 'observer'))
) STRICT`,
  `CREATE INDEX trust_audit_by_repo ON trust_audit (repo_id, id)`,

  `CREATE TRIGGER trust_audit_stays BEFORE DELETE ON trust_audit
BEGIN
  SELECT RAISE(ABORT, 'trust_audit is append-only');
END`,
  `CREATE TRIGGER trust_audit_as_it_was BEFORE UPDATE OF
  id, at, who, role, from_level, to_level, reason, automatic ON trust_audit
BEGIN
  SELECT RAISE(ABORT, 'trust_audit is append-only');
END`,

  `CREATE TABLE denials (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL CHECK (at > 0),
  repo_id TEXT NOT NULL CHECK (length(repo_id) = 12),
  job_id TEXT NOT NULL CHECK (job_id <> ''),
  role TEXT NOT NULL CHECK (role <> ''),
  tool TEXT NOT NULL CHECK (tool <> ''),
  part TEXT NOT NULL
    CHECK (part IN ('profile', 'role_trust', 'source_trust', 'role_tools', 'guardrails')),
  reason TEXT NOT NULL CHECK (reason <> '')
) STRICT`,
  `CREATE INDEX denials_by_repo ON denials (repo_id, at)`,

  // Records of a repo that once had the new path must not be in the way.
  `CREATE TRIGGER trust_follows_repo AFTER UPDATE OF id ON repos WHEN NEW.id <> OLD.id
BEGIN
  DELETE FROM trust WHERE repo_id = NEW.id;
  UPDATE trust SET repo_id = NEW.id WHERE repo_id = OLD.id;
  UPDATE trust_audit SET repo_id = NEW.id WHERE repo_id = OLD.id;
  UPDATE denials SET repo_id = NEW.id WHERE repo_id = OLD.id;
END`,
] as const;
