/** `GET /api/ticket`: one ticket with its text, its jobs and what was decided about it. */
import { costSum } from "svc/core/cost.ts";
import { Failure } from "svc/core/failure.ts";
import { statesOf } from "svc/core/machine.ts";
import { newestJobsOf } from "svc/features/jobs/job_views.ts";
import { decisionsOfJobs, personDecisionsOn } from "svc/features/routing/decision_store.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { textFault } from "svc/features/tickets/edit_ticket.ts";
import { TicketFault } from "svc/features/tickets/ticket_fault.ts";
import { movesFrom } from "svc/features/tickets/move_rules.ts";
import { ticketBody } from "svc/features/tickets/ticket_file.ts";
import type { OpenTicket, Ticket } from "svc/features/tickets/ticket_list.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";
import { textOf } from "svc/features/tickets/ticket_text.ts";
import { questionItem, questionShape } from "./card.ts";
import { decisionItem, decisionShape } from "./decision_item.ts";
import { jobItem, jobShape } from "./job_item.ts";
import { isTicketId } from "./outside_ids.ts";
import { discretion } from "./discretion.ts";
import { dashboardRead } from "./read.ts";
import type { BoardFiles } from "./repo_files.ts";
import { costSumShape, count, pick, type ShapeOf, type Z } from "./shape.ts";
import { UNINTERRUPTED } from "./view_ports.ts";

const TICKET_JOBS_LISTED = 100;

const STATES = statesOf(ticketMachine);

/** `title` and `state` are null where there is no such ticket. */
const linkShape = (z: Z) =>
  z.strictObject({
    ...{ id: z.string(), title: z.string().nullable(), state: z.enum(STATES).nullable() },
  });

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
      created: z.string(),
      /** An act upon the ticket names it as `seen`. */
      updated: z.string(),
      unblock: z.strictObject({ owner: z.string(), action: z.string() }).nullable(),
      question: questionShape(z).nullable(),
      /** Sum over `jobs`. */
      ...costSumShape(z),
      body: z.string(),
      /** The whole file; null for bytes that are not UTF-8. */
      text: z.string().nullable(),
      /** The digest of the file; an edit names the one that it is made from. */
      version: z.string(),
      /** Why the text cannot be edited as a whole here; fields can be. */
      text_fault: z.string().nullable(),
      /** States that it can be moved to. */
      moves: z.array(z.enum(STATES)),
      /** Those of `depends_on` that are not done. */
      waits_for: z.array(linkShape(z)),
      /** Tickets that are not done and wait for this one. */
      awaited_by: z.array(linkShape(z)),
    }),
    jobs: z.array(jobShape(z)),
    decisions: z.array(decisionShape(z)),
  });
export type TicketPage = ShapeOf<typeof ticketPageShape>;

/** Undefined where there is no such ticket. @throws TicketFault for a file that cannot be read as one */
async function ticketIn(
  { tickets }: Repo,
  id: string,
  shown: (text: string) => string,
): Promise<OpenTicket | undefined> {
  try {
    return await tickets.find(id);
  } catch (thrown) {
    if (Failure.from(thrown).code === "not_found") return undefined;
    if (!(thrown instanceof TicketFault)) throw thrown;
    throw new TicketFault(shown(thrown.message), shown(thrown.remedy));
  }
}

function linksOf({ id, state, depends_on }: Ticket, { tickets }: Pick<BoardFiles, "tickets">) {
  const known = new Map(tickets.map((one) => [one.id, one]));
  const link = (other: string) => {
    const found = known.get(other);
    return { id: other, title: found?.title ?? null, state: found?.state ?? null };
  };
  const waits = state === "done" ? [] : depends_on.map(link);
  const awaits = tickets.filter((one) => one.state !== "done" && one.depends_on.includes(id));
  return {
    waits_for: waits.filter((one) => one.state !== "done"),
    awaited_by: state === "done" ? [] : awaits.map((one) => link(one.id)),
  };
}

export const ticketRead = dashboardRead({
  name: "ticket",
  about: "One ticket, with its jobs and decisions.",
  query: { repo_id: "needed", id: "needed" },
  shape: ticketPageShape,
  missing: { status: 404, error: "no such ticket" },
  conflict: "its file cannot be read as a ticket, as `error` says; `remedy` mends it",
  async read({ ports, board, scope, opener }, { repo_id, id }): Promise<TicketPage | undefined> {
    const row = scope.repos.find((one) => one.id === repo_id);
    if (row === undefined || !isTicketId(id)) return undefined;
    using repo = await opener.open(row, { signal: UNINTERRUPTED });
    const shown = discretion(ports, scope.repos);
    const opened = await ticketIn(repo, id, shown);
    if (opened === undefined) return undefined;
    const { ticket, content } = opened;
    const jobs = await newestJobsOf(ports.db, repo_id, id, TICKET_JOBS_LISTED);
    const ofJobs = await decisionsOfJobs(ports.db, jobs.map((job) => job.id));
    // A person may have decided before any job was queued.
    const byPeople = await personDecisionsOn(ports.db, repo_id, id, TICKET_JOBS_LISTED);
    const decisions = [...new Map([...ofJobs, ...byPeople].map((one) => [one.id, one])).values()]
      .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
    const now = ports.clock.now();
    return {
      ticket: {
        ...pick(ticket, "title", "state", "type", "priority", "path", "role", "source"),
        ...pick(ticket, "rework", "attempts", "created", "updated"),
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
        text: textOf(content.bytes) ?? null,
        version: content.sha256,
        text_fault: textFault(opened, shown)?.message ?? null,
        moves: movesFrom(ticket.state),
        ...linksOf(ticket, await board.files.of(row)),
      },
      jobs: jobs.map((job) => jobItem(job, scope, now)),
      decisions: decisions.map((decision) => decisionItem(decision, scope)),
    };
  },
});
