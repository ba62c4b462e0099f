/** Ways into what the pages list: jobs of a repo, role or status by age, and what one job was refused. */
export const statements = [
  `CREATE INDEX jobs_by_repo ON jobs (repo_id, id)`,
  `CREATE INDEX jobs_by_role ON jobs (repo_id, role, id)`,
  `CREATE INDEX jobs_without_ticket ON jobs (repo_id, role, id) WHERE ticket_id IS NULL`,
  // As before, and in the order of a page.
  `DROP INDEX jobs_by_status`,
  `CREATE INDEX jobs_by_status ON jobs (repo_id, status, id)`,
  `CREATE INDEX denials_by_job ON denials (job_id, id)`,
] as const;
