/** Says in sentences what `start` found in a repo. Pure. */
import { shellWord } from "svc/core/shell_word.ts";
import { startable } from "svc/features/routing/choose.ts";
import { answerCommand, questionLine } from "svc/core/question.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { needsVouching } from "svc/features/tickets/ticket_names.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import { absentNote } from "svc/runtime/job/absent_programs.ts";
import { mergesUnchecked, uncheckedNote } from "svc/runtime/settle/unchecked.ts";
import type { StartFacts } from "./facts.ts";

/** How many blocked tickets are listed one by one; more would push what the start does off the screen. */
const BLOCKED_NAMED = 10;

const some = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

export function findingsIn(facts: StartFacts): string[] {
  return [
    ...inJobs(facts),
    ...inTickets(facts),
    ...inDecisions(facts),
    ...inCheckout(facts),
    ...inManifest(facts),
  ];
}

function pausedTold({ paused, repo, database }: StartFacts): string[] {
  if (paused === undefined) return [];
  const db = database === undefined ? "" : ` --db ${shellWord(database)}`;
  const how = `svc jobs resume --repo ${shellWord(repo.root)}${db}`;
  return [`no job is claimed until somebody resumes: ${paused}; ${how}`];
}

function inJobs(facts: StartFacts): string[] {
  const { jobs, otherStart } = facts;
  const owned = (owner: string) => jobs.filter((job) => job.owner === owner).length;
  const counts = [
    [owned("alive"), "job", " that runs in another process"],
    [owned("dead"), "job", " of a process that died"],
    [owned("unknown"), "job", " of a process that cannot be looked up; its lease tells"],
    [owned("none"), "job", " in the queue"],
  ] as const;
  return [
    ...(otherStart === undefined ? [] : [`another start: ${otherStart}`]),
    ...pausedTold(facts),
    ...counts.flatMap(([count, what, more]) => count === 0 ? [] : [`${some(count, what)}${more}`]),
  ];
}

function strangersTold(backlog: readonly Ticket[]): string {
  const waiting = backlog.filter(needsVouching).length;
  return waiting === 0 ? "" : `, ${waiting} came from outside, and nobody vouches for them`;
}

function inTickets(facts: StartFacts): string[] {
  const { tickets, broken, cycles, jobs, lost, settlements } = facts;
  const within = (state: TicketState) => tickets.filter((ticket) => ticket.state === state);
  const atWork = [...within("in-progress"), ...within("review")].map(({ id, state }) => {
    const job = jobs.find(({ ticket_id }) => ticket_id === id);
    return `${id} is ${state}, ${job === undefined ? "without a job" : `with job ${job.id}`}`;
  });
  const backlog = within("backlog");
  return [
    ...broken.map(({ reason }) => reason),
    ...lost.map(({ ticket, branch }) => `the branch "${branch}" of ${ticket} is gone`),
    ...atWork,
    ...settlements.map(({ ticket_id, waits_for }) =>
      `${ticket_id ?? "a merge"} waits for ${waits_for ?? "its merge or move to be made"}`
    ),
    ...blockedTold(facts, within("blocked")),
    ...onBlocked(facts, within("blocked")),
    ...cycles.map((ring) => `tickets wait for each other: ${[...ring, ring[0]].join(" → ")}`),
    ...(backlog.length === 0 ? [] : [
      `${some(backlog.length, "ticket")} in the backlog, ` +
      `${startable(tickets).length} can be started${strangersTold(backlog)}`,
    ]),
  ];
}

/** Tickets with a question come first, since a role waits for the answer. */
function blockedTold({ repo }: StartFacts, blocked: readonly Ticket[]): string[] {
  const where = `--repo ${shellWord(repo.root)}`;
  const asking = blocked.filter(({ question }) => question !== undefined);
  const others = blocked.filter(({ question }) => question === undefined);
  const told = [...asking, ...others].map(({ id, unblock, question }) =>
    question === undefined
      ? `${id} is blocked until ${unblock?.owner ?? "somebody"} has done: ${unblock?.action ?? "-"}`
      : `${id} waits for an answer to ${question.role}: ${questionLine(question)}; ${
        answerCommand(id)
      } ${where}`
  );
  const more = told.length - BLOCKED_NAMED;
  if (more <= 0) return told;
  return [
    ...told.slice(0, BLOCKED_NAMED),
    `${some(more, "more ticket")} ${more === 1 ? "is" : "are"} blocked: ` +
    `svc tickets list --state blocked ${where}`,
  ];
}

/** How these tickets continue: by this start, or by a command that the text names. */
function onBlocked({ flags, profile, mendable, repo }: StartFacts, blocked: readonly Ticket[]) {
  if (profile === "observer") return flags.force ? ["an observer unblocks nothing"] : [];
  const others = blocked.filter(({ id, question }) => !mendable.has(id) && question === undefined);
  const [first] = others;
  if (first === undefined || flags.force) return [];
  return [
    `once that is done: svc tickets move ${first.id} backlog --force --repo ${
      shellWord(repo.root)
    }; svc start --force puts all blocked tickets back`,
  ];
}

function inDecisions({ unfollowed }: StartFacts): string[] {
  return unfollowed.map(({ role, disposition, ticket_id, next_role }) =>
    `"${role}" ended with ${disposition}${
      ticket_id === null ? "" : ` on ${ticket_id}`
    }, and "${next_role}" was not queued`
  );
}

function inCheckout({ checkout, problem, repo, manifest }: StartFacts): string[] {
  const { branch, operation, uncommitted } = checkout;
  return [
    ...(problem === undefined || manifest === undefined ? [] : [
      `the current manifest is not used: ${problem}`,
    ]),
    ...(branch === repo.branch ? [] : [`${branch ?? "no branch"} is checked out`]),
    ...(operation === undefined ? [] : [`a ${operation} is going on`]),
    ...(uncommitted === 0
      ? []
      : [`${some(uncommitted, "path")} not committed: merges into them wait`]),
  ];
}

function inManifest(
  { manifest, profile, waived, repo, database, absent }: StartFacts,
): string[] {
  const unchecked = manifest !== undefined && profile === "host" && mergesUnchecked(manifest);
  return [
    ...(unchecked ? [uncheckedNote(waived, { root: repo.root, database })] : []),
    ...absent.map((one) => absentNote(one, manifest!)),
  ];
}
