/** `GET /api/ticket`: one ticket with its text, its jobs and what was decided about it. */
import { costSum } from "svc/core/cost.ts";
import { Failure } from "svc/core/failure.ts";
import { newestJobsOf } from "svc/features/jobs/job_views.ts";
import { decisionsOfJobs } from "svc/features/routing/decision_store.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { ticketBody } from "svc/features/tickets/ticket_file.ts";
import type { OpenTicket } from "svc/features/tickets/ticket_list.ts";
import { questionItem, questionShape } from "./card.ts";
import { decisionItem, decisionShape } from "./decision_item.ts";
import { jobItem, jobShape } from "./job_item.ts";
import { isTicketId } from "./outside_ids.ts";
import { dashboardRead } from "./read.ts";
import { costSumShape, count, pick, type ShapeOf, type Z } from "./shape.ts";
import { UNINTERRUPTED } from "./view_ports.ts";

const TICKET_JOBS_LISTED = 100;

const ticketPageShape = (z: Z) =>
  z.strictObject({
    ticket: z.strictObject({
      id: z.string(),
      repo_id: z.string(),
      repo: z.string(),
      title: z.string(),
      state: z.string(),
      type: z.string(),
      priority: z.string(),
      path: z.string(),
      role: z.string().nullable(),
      source: z.string(),
      depends_on: z.array(z.string()),
      acceptance: z.array(z.string()),
      rework: count(z),
      attempts: count(z),
      branch: z.string().nullable(),
      external_url: z.string().nullable(),
      unblock: z.strictObject({ owner: z.string(), action: z.string() }).nullable(),
      question: questionShape(z).nullable(),
      /** Sum over `jobs`. */
      ...costSumShape(z),
      body: z.string(),
    }),
    jobs: z.array(jobShape(z)),
    decisions: z.array(decisionShape(z)),
  });
export type TicketPage = ShapeOf<typeof ticketPageShape>;

/** Undefined where there is no such ticket. @throws Failure for one that cannot be read */
async function ticketIn({ tickets }: Repo, id: string): Promise<OpenTicket | undefined> {
  try {
    return await tickets.find(id);
  } catch (thrown) {
    if (Failure.from(thrown).code === "not_found") return undefined;
    throw thrown;
  }
}

export const ticketRead = dashboardRead({
  name: "ticket",
  about: "One ticket, with its jobs and decisions.",
  query: { repo_id: "needed", id: "needed" },
  shape: ticketPageShape,
  missing: { status: 404, error: "no such ticket" },
  async read({ ports, scope, opener }, { repo_id, id }): Promise<TicketPage | undefined> {
    const row = scope.repos.find((one) => one.id === repo_id);
    if (row === undefined || !isTicketId(id)) return undefined;
    using repo = await opener.open(row, { signal: UNINTERRUPTED });
    const opened = await ticketIn(repo, id);
    if (opened === undefined) return undefined;
    const { ticket, content } = opened;
    const jobs = await newestJobsOf(ports.db, repo_id, id, TICKET_JOBS_LISTED);
    const decisions = await decisionsOfJobs(ports.db, jobs.map((job) => job.id));
    const now = ports.clock.now();
    return {
      ticket: {
        ...pick(ticket, "title", "state", "type", "priority", "path", "role", "source"),
        ...pick(ticket, "rework", "attempts"),
        id,
        repo_id,
        repo: scope.nameOf(repo_id),
        depends_on: [...ticket.depends_on],
        acceptance: [...ticket.acceptance],
        branch: ticket.branch ?? null,
        external_url: ticket.external_url ?? null,
        unblock: ticket.unblock ?? null,
        question: questionItem(ticket),
        ...costSum(jobs),
        body: ticketBody(content.bytes),
      },
      jobs: jobs.map((job) => jobItem(job, scope, now)),
      decisions: decisions.map((decision) => decisionItem(decision, scope)),
    };
  },
});
