/** Ways into what is asked about outcomes: jobs by their end, settlements by job and time, events by type. */
export const statements = [
  `CREATE INDEX jobs_ended ON jobs (repo_id, finished_at, id) WHERE finished_at IS NOT NULL`,
  `CREATE INDEX settlements_by_job ON settlements (job_id) WHERE job_id IS NOT NULL`,
  `CREATE INDEX settlements_done ON settlements (repo_id, to_state, settled_at)
  WHERE settled_at IS NOT NULL`,
  `CREATE INDEX events_by_type ON events (type, at)`,
] as const;
