/** Every action that a card can offer, with its words, its operation and its command. Pure. */
import { shellWord } from "svc/core/shell_word.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { InboxAction } from "svc/runtime/views/action_shape.ts";

/** How the commands of one repo name it, and which roles and models can be chosen there. */
export interface ActionGround {
  readonly repoId: string;
  /** ` --repo … --db …` as commands need them; "" where the repo's folder says it. */
  readonly repoFlag: string;
  readonly dbFlag: string;
  /** Roles that work on tickets, and those that judge their work. */
  readonly works: readonly string[];
  readonly judges: readonly string[];
  /** As `--model-endpoint` takes them. */
  readonly models: readonly string[];
}

const NO_UNDO = "It cannot be taken back";
const UNTIL_BEGUN = "It can be taken back for 15 minutes, until the next job begins";

/** Operations that take a `request`. */
const ONCE: ReadonlySet<string> = new Set([
  ...["unblock-ticket", "assign-ticket", "approve-ticket", "send-back-ticket"],
  ...["resume-role", "resume-model", "waive-checks", "recheck"],
]);

function action(
  made: Partial<InboxAction> & Pick<InboxAction, "about" | "id" | "label">,
): InboxAction {
  return {
    ...{ operation: null, given: {}, asks: [], undo: null, review: false },
    ...{ command: null, href: null },
    once: ONCE.has(made.operation ?? ""),
    ...made,
  };
}

const text = (field: string, label: string, needed = false) => ({
  ...{ field, label, needed, choices: [] },
});
const choice = (field: string, label: string, choices: readonly string[], needed = false) => ({
  ...{ field, label, needed, choices: [...choices] },
});

const both = ({ repoFlag, dbFlag }: ActionGround) => `${repoFlag}${dbFlag}`;

const about = ({ repoId }: ActionGround, { id }: Pick<Ticket, "id">) => ({
  ...{ repo_id: repoId, ticket_id: id },
});

/** The question's own part of the card has its choices. */
export const answerAction = (ground: ActionGround, ticket: Ticket): InboxAction =>
  action({
    ...{ id: "answer", label: "Answer", operation: "answer-ticket" },
    about:
      "The answer is kept in the ticket, which goes back to the backlog; its next role reads it",
    given: { ...about(ground, ticket), job_id: ticket.question!.job },
    asks: [text("answer", "Answer", true)],
    undo: NO_UNDO,
    command: `svc tickets answer ${ticket.id} "…"${ground.repoFlag}`,
  });

export const unblockAction = (ground: ActionGround, ticket: Ticket): InboxAction =>
  action({
    ...{ id: "unblock", label: "Unblock", operation: "unblock-ticket" },
    about: "What it waited for has happened: it goes back to the backlog with new attempts, " +
      "and your note is in its next role's prompt",
    given: { ...about(ground, ticket), seen: ticket.updated },
    asks: [text("note", "What its next role should know")],
    undo: UNTIL_BEGUN,
    command: `svc tickets unblock ${ticket.id} --reason "…"${both(ground)}`,
  });

const nextAsks = ({ works, judges, models }: ActionGround, { state }: Ticket) => [
  choice("role", "Role", state === "review" ? judges : works),
  ...(models.length === 0 ? [] : [choice("model", "Model", models)]),
  text("note", "Why, for the ticket's history"),
];

export const assignAction = (ground: ActionGround, ticket: Ticket): InboxAction =>
  action({
    ...{ id: "assign", label: "Another role or model", operation: "assign-ticket" },
    about: ticket.state === "blocked"
      ? "It is unblocked, and its next job begins at once as you choose"
      : "Its next job begins at once as you choose; one that waits is cancelled",
    given: { ...about(ground, ticket), seen: ticket.updated },
    asks: nextAsks(ground, ticket),
    undo: UNTIL_BEGUN,
    command: `svc tickets assign ${ticket.id} --role … --model …${both(ground)}`,
  });

/** @param owed the approval that waits for a person's word */
export const approveAction = (
  ground: ActionGround,
  ticket: Ticket,
  owed?: Pick<Settlement, "merge_commit">,
): InboxAction =>
  action({
    ...{ id: "approve", label: "Approve", operation: "approve-ticket" },
    about:
      "The commit that you see is merged by the manifest's policy, once svc's own checks of the merge pass",
    given: about(ground, ticket),
    asks: [text("note", "A note for the ticket's history")],
    undo: "It can be taken back for 15 minutes, until it is merged",
    review: true,
    command: owed?.merge_commit == null
      ? `svc tickets review ${ticket.id}${both(ground)}`
      : `svc tickets approve ${ticket.id} --commit ${owed.merge_commit}${both(ground)}`,
  });

export const sendBackAction = (
  ground: ActionGround,
  ticket: Ticket,
  owed?: Pick<Settlement, "merge_commit">,
): InboxAction =>
  action({
    ...{ id: "send-back", label: "Send back", operation: "send-back-ticket" },
    about: "The ticket goes back to the role that did the work, with your text in its prompt",
    given: about(ground, ticket),
    asks: [text("note", "What is to be changed", true)],
    undo: UNTIL_BEGUN,
    review: true,
    command: owed?.merge_commit == null
      ? `svc tickets review ${ticket.id}${both(ground)}`
      : `svc tickets send-back ${ticket.id} "…" --commit ${owed.merge_commit}${both(ground)}`,
  });

/**
 * The only way out of a blocked ticket is to unblock it; a ticket that is still waiting to be blocked has no
 * action here.
 */
export const moveAction = (ground: ActionGround, ticket: Ticket): InboxAction => {
  const { id, state } = ticket;
  const places = state === "review" ? ["backlog", "in-progress", "done"] : ["backlog", "review"];
  return action({
    ...{ id: "move", label: "Put it elsewhere", operation: "move-ticket" },
    about: "The ticket alone is moved: nothing is merged, and its branch stays",
    given: about(ground, ticket),
    asks: [choice("state", "Where to", places, true), text("reason", "Why, for its history")],
    undo: "It can be moved again",
    command: `svc tickets move ${id} <state>${ground.repoFlag}`,
  });
};

export const vouchAction = (ground: ActionGround, ticket: Ticket): InboxAction =>
  action({
    ...{ id: "vouch", label: "Vouch for it", operation: "move-ticket" },
    about: "You have read it: roles work on it as on a ticket of yours. It stays where it is",
    given: { ...about(ground, ticket), state: ticket.state },
    undo: NO_UNDO,
    command: `svc tickets move ${ticket.id} ${ticket.state}${ground.repoFlag}`,
  });

export const recheckAction = (ground: ActionGround, label = "Look again"): InboxAction =>
  action({
    ...{ id: "recheck", label, operation: "recheck" },
    about: "svc looks at once whether what is waited for has come, and goes on where it has",
    given: { repo_id: ground.repoId },
    command: `svc inbox recheck${both(ground)}`,
  });

export const waiveAction = (ground: ActionGround): InboxAction =>
  action({
    ...{ id: "waive", label: "Let all in unchecked", operation: "waive-checks" },
    about:
      "All work that roles approve in this repo is merged although no check judges it, from now on",
    given: { repo_id: ground.repoId },
    asks: [text("note", "Why, for the record")],
    undo: "svc checks waive --end takes it back at any time",
    command: `svc checks waive${both(ground)}`,
  });

/** svc does none of this: it shows the command, and the person runs it. */
export const commandAction = (
  id: string,
  label: string,
  what: { readonly command: string; readonly about: string },
): InboxAction => action({ id, label, ...what });

export const linkAction = (id: string, label: string, href: string): InboxAction =>
  action({ id, label, href, about: "It opens in a page of its own" });

export const resumeClaimsAction = (dbFlag: string): InboxAction =>
  action({
    ...{ id: "resume", label: "Resume", operation: "resume" },
    about: "Jobs that are due start again, oldest first",
    command: `svc jobs resume${dbFlag}`,
  });

export const resumeRoleAction = (ground: ActionGround, role: string): InboxAction =>
  action({
    ...{ id: "resume", label: "Let it go on", operation: "resume-role" },
    about: "Its jobs that wait begin again; after three more failures it is held back anew",
    given: { repo_id: ground.repoId, role },
    undo: "It can be taken back for 15 minutes",
    command: `svc jobs resume --role ${shellWord(role)}${both(ground)}`,
  });

export const resumeModelAction = (ground: ActionGround, lane: string): InboxAction =>
  action({
    ...{ id: "resume", label: "Let it go on", operation: "resume-model" },
    about:
      "Jobs that wait for the model ask it again; if the fault is still there it is held back anew",
    given: { repo_id: ground.repoId, lane },
    undo: "It can be taken back for 15 minutes",
    command: `svc jobs resume --model ${shellWord(lane)}${both(ground)}`,
  });

export const runRoleAction = (ground: ActionGround, role: string): InboxAction =>
  action({
    ...{ id: "run", label: `Run ${role}`, operation: "run-role" },
    about:
      "Queues one run of the role by the manifest as it is now, and lifts what holds the role back",
    given: { repo_id: ground.repoId, role },
    command: `svc run ${shellWord(role)}${both(ground)}`,
  });

export const retryAction = (
  ground: ActionGround,
  job: Pick<Job, "id">,
): InboxAction =>
  action({
    ...{ id: "retry", label: "Retry", operation: "retry-job" },
    about: "The job is queued once more with the same inputs",
    given: { job_id: job.id },
    undo: "It can be stopped on the job's page",
    command: `svc jobs retry ${job.id}${both(ground)}`,
  });
