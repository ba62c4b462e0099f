/** `GET /api/jobs`: one page of jobs, newest first. */
import { type JobFilter, recentJobs } from "svc/features/jobs/job_views.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { isJobId } from "./outside_ids.ts";
import { jobItem } from "./job_item.ts";
import type { JobQuery } from "./reads.ts";
import type { Jobs } from "./shapes.ts";
import type { Scope, ViewPorts } from "./view_ports.ts";

/** Jobs of one page of the list. */
export const JOBS_A_PAGE = 100;

/** One query a repo, each along an index: ids sort by the time of creation. */
export async function newestJobs(
  { db }: Pick<ViewPorts, "db">,
  { repos }: Scope,
  filter: JobFilter,
  limit: number,
): Promise<Job[]> {
  const found = await Promise.all(
    repos.map(({ id }) => recentJobs(db, { ...filter, repo_id: id }, limit)),
  );
  return found.flat().sort((a, b) => a.id < b.id ? 1 : -1).slice(0, limit);
}

export async function jobsView(
  ports: Pick<ViewPorts, "clock" | "db">,
  scope: Scope,
  { repoId, role, status, before }: JobQuery,
): Promise<Jobs> {
  if (before !== undefined && !isJobId(before)) return { jobs: [], before: null };
  const repos = scope.repos.filter(({ id }) => repoId === undefined || id === repoId);
  const filter = {
    ...(role !== undefined && { role }),
    ...(status !== undefined && { status }),
    ...(before !== undefined && { before }),
  };
  const jobs = await newestJobs(ports, { ...scope, repos }, filter, JOBS_A_PAGE + 1);
  const now = ports.clock.now();
  const page = jobs.slice(0, JOBS_A_PAGE);
  return {
    jobs: page.map((job) => jobItem(job, scope, now)),
    before: jobs.length > JOBS_A_PAGE ? page.at(-1)!.id : null,
  };
}
