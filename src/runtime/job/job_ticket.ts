/** The ticket of a job, taken out of the backlog when its work begins. */
import { Failure } from "svc/core/failure.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { openTicket, type Ticket } from "svc/features/tickets/ticket_list.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { branchFault, type RepoView } from "svc/runtime/repo_view.ts";
import { branchFor } from "./worksite.ts";

export interface JobTicket {
  readonly facts: Ticket;
  /** The whole file. */
  readonly text: string;
}

/** A role that hands work in takes it out of the backlog; others leave it there. */
function takesWork({ routes }: ManifestRole): boolean {
  return routes.submitted?.ticket === "review";
}

/**
 * In host profile a ticket of the backlog moves to in-progress, with the branch that it gets.
 * @throws Failure `not_found`; `conflict` when it waits for others, or another branch is checked out
 */
export async function takeTicket(
  ports: RuntimePorts,
  view: RepoView,
  job: Pick<Job, "id" | "role" | "ticket_id">,
  definition: ManifestRole,
): Promise<JobTicket | undefined> {
  if (job.ticket_id === null) return undefined;
  using checkout = await openCheckout(ports, view.root);
  const look = async () => await openTicket(checkout, job.ticket_id!);
  const found = await look();
  const idle = found.ticket.state !== "backlog" || !takesWork(definition);
  const opened = idle || ports.profile !== "host" ? found : await (async () => {
    const fault = branchFault(checkout, view);
    if (fault !== undefined) {
      throw new Failure("conflict", `Cannot start ${job.ticket_id}: it waits for ${fault}`, {
        remedy: `git -C "${view.root}" switch ${view.branch}`,
        waits: true,
      });
    }
    const branch = branchFor({ jobId: job.id, role: job.role, ticket: found.ticket });
    await moveTicket(checkout, job.ticket_id!, {
      to: "in-progress",
      actor: `agent:${job.role}`,
      branch,
    });
    const data = { repo_id: view.id, ticket_id: job.ticket_id, from: "backlog", to: "in-progress" };
    const event = { type: "ticket_update", repoId: view.id, jobId: job.id, data } as const;
    await recordEvent(ports.db, event, ports.clock.now());
    return await look();
  })();
  return { facts: opened.ticket, text: new TextDecoder().decode(opened.content.bytes) };
}
