/** `GET /api/jobs`: one page of jobs, newest first. */
import { Failure } from "svc/core/failure.ts";
import { statesOf } from "svc/core/machine.ts";
import { jobMachine } from "svc/features/jobs/job_machine.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import {
  type JobFilter,
  jobsByIds,
  jobWordsOf,
  recentJobIds,
} from "svc/features/jobs/job_views.ts";
import { jobItem, jobShape } from "./job_item.ts";
import { isJobId } from "./outside_ids.ts";
import { chosenRepos, dashboardRead } from "./read.ts";
import type { ShapeOf, Z } from "./shape.ts";
import { basenameOf, type Scope, type ViewPorts } from "./view_ports.ts";

export const JOBS_A_PAGE = 100;

const jobsShape = (z: Z) =>
  z.strictObject({ jobs: z.array(jobShape(z)), before: z.string().nullable() });
export type Jobs = ShapeOf<typeof jobsShape>;

/** An empty page would wrongly say that there are no more jobs. */
const noPage = () =>
  new Failure("usage", "Cannot go on: no page gave that `before`", {
    remedy: "Begin without `before`",
  });

/** Ids of each repo along an index, then the jobs among them: most ids of many repos are on a later page. */
export async function newestJobs(
  { db }: Pick<ViewPorts, "db">,
  { repos }: Pick<Scope, "repos">,
  filter: JobFilter,
  limit: number,
): Promise<Job[]> {
  for (;;) {
    const byRepo = await Promise.all(repos.map(({ id, path }) => {
      const name = basenameOf(path).toLowerCase();
      // Jobs do not hold the name of their repo.
      const words = filter.words?.filter((word) => !name.includes(word.toLowerCase()));
      return recentJobIds(db, { ...filter, repo_id: id, ...(words && { words }) }, limit);
    }));
    const ids = byRepo.flat().sort((a, b) => a < b ? 1 : -1).slice(0, limit);
    const jobs = await jobsByIds(db, ids);
    if (jobs.length === ids.length) return jobs; // else one was removed meanwhile
  }
}

export const jobsRead = dashboardRead({
  name: "jobs",
  about:
    "Jobs, newest first, 100 a page; `before` asks for the next. `search` finds, among all jobs, " +
    "those that have each of its words in their id, role, ticket, state, model, outcome, reason or repo.",
  query: {
    repo_id: "optional",
    role: "optional",
    status: statesOf(jobMachine),
    /** Id of the last job of the page before. */
    before: "optional",
    search: "optional",
  },
  shape: jobsShape,
  async read({ ports, scope }, { repo_id, search = "", ...of }): Promise<Jobs> {
    if (of.before !== undefined && !isJobId(of.before)) throw noPage();
    const filter = { ...of, words: jobWordsOf(search) };
    const repos = chosenRepos(scope, repo_id);
    const jobs = await newestJobs(ports, { repos }, filter, JOBS_A_PAGE + 1);
    const now = ports.clock.now();
    const page = jobs.slice(0, JOBS_A_PAGE);
    return {
      jobs: page.map((job) => jobItem(job, scope, now)),
      before: jobs.length > JOBS_A_PAGE ? page.at(-1)!.id : null,
    };
  },
});
