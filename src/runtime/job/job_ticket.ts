/** Reads the ticket of a job, tells whether there is still something to do, and takes it out of the backlog. */
import { Failure } from "svc/core/failure.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobById } from "svc/features/jobs/job_views.ts";
import { jobAhead } from "svc/features/jobs/order_job.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { OpenTicket, Ticket } from "svc/features/tickets/ticket_list.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { noTicketFor, ticketUse } from "svc/runtime/run/pick_ticket.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { branchFor } from "./job_tree.ts";

export interface JobTicket {
  readonly facts: Ticket;
  readonly text: string;
}

/** The role's ticket leaves the backlog when its job begins. */
export function takesWork({ routes }: ManifestRole): boolean {
  return routes.submitted?.ticket === "review";
}

/**
 * Why a run that a person asked for has nothing to do: its role works on tickets, and none fitted when
 * it was queued. No model is asked then.
 */
export function nothingToDo(
  { role, trigger, ticket_id, payload }: Pick<Job, "role" | "trigger" | "ticket_id" | "payload">,
  definition: ManifestRole,
): string | undefined {
  const use = ticketUse(definition);
  if (use === undefined || trigger !== "manual" || ticket_id !== null) return undefined;
  const { task, branch, earlier } = JSON.parse(payload) as Partial<Record<string, string>>;
  const asked = task ?? branch ?? earlier;
  return asked === undefined ? noTicketFor(role, use) : undefined;
}

/**
 * Why a job that no person asked for is no longer needed when its turn comes. Either it was put off, and
 * meanwhile another job finished its ticket or the ticket now waits for a person; or it was queued to follow a
 * job that has been put off since, and that job will see everything that this one would see.
 */
export async function overtaken(
  { db, profile }: Pick<RuntimePorts, "db" | "profile">,
  repo: Pick<Repo, "tickets">,
  { trigger, ticket_id, unique_key }: Pick<Job, "trigger" | "ticket_id" | "unique_key">,
  definition: ManifestRole,
): Promise<string | undefined> {
  const ahead = unique_key === null ? undefined : jobAhead(unique_key);
  if (ahead !== undefined && (await jobById(db, ahead))?.status === "pending") {
    return `job ${ahead}, which it was to follow, has yet to run`;
  }
  if (ticket_id === null || trigger === "manual" || profile !== "host") return undefined;
  // Roles that neither do nor judge tickets may have a job about a ticket that is done.
  if (ticketUse(definition) === undefined) return undefined;
  // If the ticket no longer exists, the code that reads its text says so.
  const { tickets } = await repo.tickets.list();
  const state = tickets.find(({ id }) => id === ticket_id)?.state;
  // A role may be asked for because its ticket was blocked.
  const over = state === "done" || (state === "blocked" && trigger !== "ticket");
  return over ? `${ticket_id} is ${state}` : undefined;
}

/**
 * Moves a backlog ticket to in-progress in host profile, and gives it its branch. @throws Failure
 * `not_found`; `conflict` when it waits for others, another branch is checked out, or the repo can have
 * no work trees
 */
export async function takeTicket(
  ports: RuntimePorts,
  repo: Repo,
  job: Pick<Job, "id" | "role" | "ticket_id">,
  definition: ManifestRole,
): Promise<JobTicket | undefined> {
  if (job.ticket_id === null) return undefined;
  const { ticket_id: id, role } = job;
  const found = await repo.tickets.find(id);
  const stays = found.ticket.state !== "backlog" || !takesWork(definition);
  if (stays || ports.profile !== "host") return jobTicket(found);
  const fault = await repo.branchFault();
  if (fault !== undefined) {
    throw new Failure("conflict", `Cannot start ${id}: it waits for ${fault.why}`, {
      remedy: fault.remedy,
      waits: true,
    });
  }
  const [obstacle] = await ports.worktrees.obstacles(repo.git);
  if (obstacle !== undefined) {
    throw new Failure("conflict", `Cannot start ${id}: ${obstacle.why}; ${obstacle.remedy}`, {
      remedy: obstacle.remedy,
      waits: true,
    });
  }
  const branch = branchFor({ jobId: job.id, role, ticket: found.ticket });
  try {
    await repo.tickets.move(id, { to: "in-progress", actor: `agent:${role}`, branch });
  } catch (thrown) {
    // A person may have moved it just now, or a process that had this job before and stood still.
    const now = await repo.tickets.find(id);
    if (now.ticket.state === "backlog") throw thrown;
    return jobTicket(now);
  }
  const data = { repo_id: repo.id, ticket_id: id, from: "backlog", to: "in-progress" };
  const event = { type: "ticket_update", repoId: repo.id, jobId: job.id, data } as const;
  await recordEvent(ports.db, event, ports.clock.now());
  return jobTicket(await repo.tickets.find(id));
}

const jobTicket = ({ ticket, content }: OpenTicket): JobTicket => ({
  facts: ticket,
  text: new TextDecoder().decode(content.bytes),
});
