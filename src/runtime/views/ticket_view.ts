/** `GET /api/ticket`: one ticket with its text, its jobs and what was decided about it. */
import { Failure } from "svc/core/failure.ts";
import { newestJobsOf } from "svc/features/jobs/job_views.ts";
import { decisionsOfJobs } from "svc/features/routing/decision_store.ts";
import { ticketBody } from "svc/features/tickets/ticket_file.ts";
import { type OpenTicket, openTicket } from "svc/features/tickets/ticket_list.ts";
import { decisionItem } from "./decision_item.ts";
import { jobItem } from "./job_item.ts";
import { isTicketId } from "./outside_ids.ts";
import type { TicketPage } from "./shapes.ts";
import type { Scope, ViewPorts } from "./view_ports.ts";

/** Jobs of one ticket that its page lists, newest first. */
const TICKET_JOBS_LISTED = 100;

type Ports = Pick<ViewPorts, "clock" | "db" | "folder" | "git">;

/** Undefined where there is no such ticket. @throws Failure for one that cannot be read */
async function opened(ports: Ports, root: string, id: string): Promise<OpenTicket | undefined> {
  using folder = await ports.folder(root);
  const git = await ports.git.open(root);
  try {
    return await openTicket({ folder, git }, id);
  } catch (thrown) {
    if (Failure.from(thrown).code === "not_found") return undefined;
    throw thrown;
  }
}

export async function ticketView(
  ports: Ports,
  scope: Scope,
  repoId: string,
  id: string,
): Promise<TicketPage | undefined> {
  const repo = scope.repos.find((one) => one.id === repoId);
  if (repo === undefined || !isTicketId(id)) return undefined;
  const found = await opened(ports, repo.path, id);
  if (found === undefined) return undefined;
  const { ticket, content } = found;
  const jobs = await newestJobsOf(ports.db, repoId, id, TICKET_JOBS_LISTED);
  const decisions = await decisionsOfJobs(ports.db, jobs.map((job) => job.id));
  const now = ports.clock.now();
  const { title, state, type, priority, path, role, source, rework, attempts } = ticket;
  return {
    ticket: {
      id,
      repo_id: repoId,
      repo: scope.nameOf(repoId),
      title,
      state,
      type,
      priority,
      path,
      role,
      source,
      rework,
      attempts,
      depends_on: [...ticket.depends_on],
      acceptance: [...ticket.acceptance],
      branch: ticket.branch ?? null,
      external_url: ticket.external_url ?? null,
      unblock: ticket.unblock ?? null,
      body: ticketBody(content.bytes),
    },
    jobs: jobs.map((job) => jobItem(job, scope, now)),
    decisions: decisions.map((decision) => decisionItem(decision, scope)),
  };
}
