/** Decides which actions each card offers, by what is in the way. Pure. */
import { pathsIn } from "svc/core/path_list.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { InboxAction } from "svc/runtime/views/action_shape.ts";
import type { LostWork } from "svc/runtime/job/lost_work.ts";
import type { PersonsWait } from "svc/runtime/views/settlement_wait.ts";
import {
  type ActionGround,
  answerAction,
  approveAction,
  assignAction,
  commandAction,
  linkAction,
  moveAction,
  recheckAction,
  resumeModelAction,
  retryAction,
  runRoleAction,
  sendBackAction,
  unblockAction,
  waiveAction,
} from "./actions.ts";

export function blockedActions(ground: ActionGround, ticket: Ticket): InboxAction[] {
  if (ticket.question !== undefined) {
    return [answerAction(ground, ticket), assignAction(ground, ticket)];
  }
  return [unblockAction(ground, ticket), assignAction(ground, ticket)];
}

/** A person judges what is in review, and says who goes on with the rest. */
export function restingActions(ground: ActionGround, ticket: Ticket): InboxAction[] {
  const next = assignAction(ground, ticket);
  const rest = ticket.state === "backlog" ? [next] : [next, moveAction(ground, ticket)];
  if (ticket.state !== "review" || ticket.branch === undefined) return rest;
  return [approveAction(ground, ticket), sendBackAction(ground, ticket), ...rest];
}

/** Its fields are edited on its page, or in its file. */
export const dependsActions = (ground: ActionGround, { path }: Ticket): InboxAction[] => [
  commandAction("edit", "Edit the ticket", {
    command: `$EDITOR ${shellWord(path)}`,
    about: 'Take the ticket out of "depends_on", and commit the file; svc reads it within a minute',
  }),
  recheckAction(ground),
];

/** The two ways out of a dirty checkout. svc itself never commits or stashes somebody's changes. */
function dirtyActions(ground: ActionGround, paths: string): InboxAction[] {
  const files = pathsIn(paths).map(shellWord).join(" ");
  return [
    commandAction("commit", "Commit them", {
      command: `git add -- ${files} && git commit -m "…" -- ${files}`,
      about: "Your changes become a commit of yours; the merge follows it",
    }),
    commandAction("stash", "Put them aside", {
      command: `git stash push --include-untracked -- ${files}`,
      about: "Your changes come back with git stash pop",
    }),
    recheckAction(ground),
  ];
}

const HREF = /https:\/\/[^\s;]+/;

function linkIn(text: string): InboxAction[] {
  const href = HREF.exec(text)?.[0];
  return href === undefined ? [] : [linkAction("open", "Open it", href)];
}

type Owed = Pick<Settlement, "merge_commit" | "merge_from" | "to_state" | "waits_for">;

const sendsBack = (ground: ActionGround, ticket: Ticket | undefined, owed: Owed) =>
  ticket?.state === "review" && owed.to_state === "done" && owed.merge_commit !== null
    ? [sendBackAction(ground, ticket, owed)]
    : [];

/** @param wait undefined where git or the file system refused */
export function waitActions(
  ground: ActionGround,
  { owed, wait, ticket }: {
    readonly owed: Owed;
    readonly wait: PersonsWait | undefined;
    readonly ticket: Ticket | undefined;
  },
): InboxAction[] {
  const back = sendsBack(ground, ticket, owed);
  const again = recheckAction(ground);
  switch (wait?.kind) {
    case "dirty":
      return [...dirtyActions(ground, wait.subject), ...back];
    case "branch":
    case "register":
      return [
        commandAction("run", wait.kind === "branch" ? "Switch to it" : "Register another", {
          command: wait.action,
          about: "The work that waits goes there afterwards",
        }),
        again,
      ];
    case "word":
      return [
        ...(ticket === undefined ? [] : [approveAction(ground, ticket, owed)]),
        ...back,
        waiveAction(ground),
      ];
    case "pull":
      return [
        commandAction("merge", "Pull it", {
          command: wait.action,
          about: `On ${wait.subject}; settle the conflict, and svc closes the ticket`,
        }),
        ...linkIn(owed.waits_for ?? ""),
        again,
      ];
    case "push":
      return [
        commandAction("run", "Push it", {
          command: wait.action,
          about: "If those commits are to be published: the work goes out within a minute",
        }),
        again,
        ...back,
      ];
    case "pull_request":
    case "refused":
      return [...linkIn(owed.waits_for ?? ""), again, ...back];
    case "merge":
      return [
        ...linkIn(owed.waits_for ?? ""),
        commandAction("merge", "Merge it yourself", {
          command: `git merge --no-ff ${shellWord(owed.merge_commit ?? owed.merge_from ?? "")}`,
          about: "On the registered branch; svc sees it and closes the ticket",
        }),
        again,
        ...back,
      ];
    case undefined:
      return [recheckAction(ground, "Try again now"), ...back];
  }
}

/** @param ticket undefined for work without one */
export function brokenActions(
  ground: ActionGround,
  job: Pick<Job, "id" | "role" | "ticket_id">,
  ticket: Ticket | undefined,
): InboxAction[] {
  const again = retryAction(ground, job);
  if (ticket === undefined) return [again, runRoleAction(ground, job.role)];
  return [again, ...restingActions(ground, ticket)];
}

export const budgetActions = (ground: ActionGround): InboxAction[] => [
  recheckAction(ground, "Try again now"),
];

/** Somebody deleted the file: git's history still has it. */
export const lostTicketActions = (
  { repoFlag, dbFlag }: ActionGround,
  { id }: Pick<Job, "id">,
): InboxAction[] => [
  commandAction("history", "Look where it went", {
    command: "git log --all -- docs/tickets",
    about: "Names the commit that took the file away; git restores it from the one before",
  }),
  commandAction("cancel", "End the job", {
    command: `svc jobs cancel ${id}${repoFlag}${dbFlag}`,
    about: "If the ticket is not wanted any more",
  }),
];

/** Commits stay available until git removes unreachable objects, which it does after some weeks. */
export const lostWorkActions = (
  { repoFlag }: ActionGround,
  { ticket, branch, commit }: LostWork,
): InboxAction[] => [
  ...(commit === undefined ? [] : [commandAction("branch", "Bring the branch back", {
    command: `git branch ${shellWord(branch)} ${commit}`,
    about: "The work goes on from the commit that its last job ended with",
  })]),
  commandAction("give-back", "Begin it anew", {
    command: `svc tickets move ${ticket} backlog${repoFlag}`,
    about: "It goes back to the backlog; its next role begins on a new branch",
  }),
];

/** A key is read when a job begins; one of the environment, when svc begins. */
const KEY = /"([A-Z][A-Z0-9_]{2,80})" is (?:not set|no key)/;

export function heldModelActions(
  ground: ActionGround,
  lane: string,
  reason: string,
): InboxAction[] {
  const name = KEY.exec(reason)?.[1];
  const key = name === undefined ? [] : [
    commandAction("key", `Give ${name}`, {
      command: `svc models credentials write-local-env --api-key-env ${name}${ground.repoFlag}`,
      about:
        `Keeps the key of ${name} for this repo; in the environment it is read when svc starts`,
    }),
  ];
  return [...key, resumeModelAction(ground, lane)];
}
