/** Which model an attempt used, and what jobs used before uses were stored by day: costs are told of one table. */
export const statements = [
  `ALTER TABLE job_uses ADD COLUMN model TEXT CHECK (model <> '')`,
  `UPDATE job_uses SET model = (SELECT jobs.model FROM jobs WHERE jobs.id = job_uses.job_id)`,

  // They count for no budget, as before.
  `INSERT INTO job_uses (job_id, generation, day, repo_id, role, ticket_id, turns, tool_calls, tokens_in,
  tokens_cached, tokens_out, cost_basis, cost_usd, spent_usd, spent_tokens, held_usd, held_tokens, model)
SELECT id, max(generation, 1), date(finished_at / 1000, 'unixepoch'), repo_id, role, ticket_id, turns,
  tool_calls, tokens_in, tokens_cached, tokens_out, coalesce(cost_basis, 'unknown'), cost_usd, 0, 0, 0, 0,
  model
FROM jobs WHERE finished_at IS NOT NULL AND tokens_in + tokens_out > 0
  AND NOT EXISTS (SELECT 1 FROM job_uses WHERE job_uses.job_id = jobs.id)`,
] as const;
