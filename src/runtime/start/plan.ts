/**
 * How `start` goes on with what it finds (spec section 3.2): the first rule of the table that fits
 * decides. Pure.
 */
import { Failure, type FailureCode } from "svc/core/failure.ts";
import type { NewJob } from "svc/features/jobs/job_store.ts";
import { startable } from "svc/features/routing/choose.ts";
import { goOn, spent } from "./resume.ts";
import type { StartFacts } from "./facts.ts";
import { sights } from "./sights.ts";
import { jobsFor } from "svc/features/jobs/job_triggers.ts";

export type StartAction = "resume" | "reconcile" | "refuse" | "bootstrap" | "new_lifecycle";

/** A ticket that goes back to the backlog. */
export interface StartMove {
  readonly ticket: string;
  readonly from: "in-progress" | "review" | "blocked";
  readonly reason: string;
}

/** What is to be changed before the engine begins; empty lists where nothing is. */
export interface StartSteps {
  readonly moves: readonly StartMove[];
  /** Jobs that have nothing left to do. */
  readonly cancels: readonly { readonly job: string; readonly reason: string }[];
  readonly jobs: readonly NewJob[];
}

export interface StartPlan extends StartSteps {
  /** Row of the table that decided. */
  readonly rule: StartRule;
  readonly action: StartAction;
  /** What was found, in sentences for people. */
  readonly saw: readonly string[];
  /** What will be done, in sentences for people. */
  readonly does: readonly string[];
  /** Exactly when it refuses. */
  readonly refusal?: Failure;
}

/** What a rule says; undefined when it does not fit. */
type Verdict = Omit<StartPlan, "rule" | "saw"> | undefined;

const NOTHING: StartSteps = { moves: [], cancels: [], jobs: [] };

function refuse(
  { repo: { root } }: StartFacts,
  code: FailureCode,
  why: string,
  remedy: string,
): Verdict {
  const refusal = new Failure(code, `Cannot start svc in "${root}": ${why}`, { remedy });
  return { action: "refuse", does: [], ...NOTHING, refusal };
}

const anew = ({ repo: { root } }: StartFacts) =>
  `or begin anew: svc start --repo "${root}" --new-lifecycle`;

const inNoHands = ({ jobs }: StartFacts) =>
  jobs.filter(({ owner }) => owner !== "alive" && owner !== "unknown");

function otherStart(facts: StartFacts): Verdict {
  if (facts.otherStart === undefined) return undefined;
  const why = `it is worked on already, by ${facts.otherStart}`;
  return refuse(facts, "conflict", why, "Use that one, or stop it first");
}

function noManifest(facts: StartFacts): Verdict {
  if (facts.manifest !== undefined) return undefined;
  const why = facts.problem ?? "it has no manifest";
  return refuse(facts, "environment", why, `svc doctor --repo "${facts.repo.root}"`);
}

/** An observer writes nothing, so what git is busy with is no matter. */
function gitOperation(facts: StartFacts): Verdict {
  const { profile, checkout: { operation }, repo: { root } } = facts;
  if (profile === "observer" || operation === undefined) return undefined;
  const remedy = operation === "bisect"
    ? `git -C "${root}" bisect reset`
    : `Finish it, or give it up: git -C "${root}" ${operation} --abort`;
  return refuse(facts, "conflict", `a ${operation} is going on`, remedy);
}

/** The tickets of another branch are not those that svc works on. */
function otherBranch(facts: StartFacts): Verdict {
  const { profile, checkout, repo: { root, branch } } = facts;
  if (profile === "observer" || checkout.branch === branch) return undefined;
  const on = checkout.branch === undefined
    ? "HEAD is on no branch"
    : `"${checkout.branch}" is checked out`;
  const why = `its work goes to "${branch}", and ${on}`;
  return refuse(facts, "conflict", why, `git -C "${root}" switch ${branch}`);
}

function bootstrapJobs({ repo, manifest }: StartFacts): NewJob[] {
  return jobsFor({ kind: "bootstrap" }, { id: repo.id, manifest });
}

function noBootstrapRole(facts: StartFacts): Verdict {
  const remedy = 'Add "triggers: [{ on: bootstrap }]" to a role of .harness/manifest.yaml';
  const why = "no role of the manifest has a trigger bootstrap";
  return refuse(facts, "environment", why, remedy);
}

const seeds = (jobs: readonly NewJob[]) =>
  `seeds a fresh lifecycle: ${jobs.map(({ role }) => role).join(", ")}`;

/** Work in other hands and what git is owed stay; all else begins again from the backlog. */
function newLifecycle(facts: StartFacts): Verdict {
  const { flags, profile, tickets, jobs, settlements } = facts;
  if (!flags.newLifecycle) return undefined;
  const fresh = bootstrapJobs(facts);
  if (fresh.length === 0) return noBootstrapRole(facts);
  const known = new Set<string | null>([null, ...tickets.map(({ id }) => id)]);
  const old = inNoHands(facts).filter(({ trigger, ticket_id }) =>
    trigger === "route" || trigger === "liveness" || trigger === "ticket" || !known.has(ticket_id)
  );
  const reason = "a new lifecycle was asked for";
  const cancels = old.map(({ id }) => ({ job: id, reason }));
  const ended = new Set(old.map(({ id }) => id));
  const spoken = new Set([
    ...settlements.map(({ ticket_id }) => ticket_id),
    ...jobs.filter(({ id }) => !ended.has(id)).map(({ ticket_id }) => ticket_id),
  ]);
  const moves = profile !== "host" ? [] : tickets.flatMap(({ id, state }): StartMove[] => {
    if (spoken.has(id) || state === "backlog" || state === "done") return [];
    if (state === "blocked" && !flags.force) return [];
    return [{ ticket: id, from: state, reason }];
  });
  const does = [
    ...(cancels.length === 0 ? [] : [`cancels ${cancels.length} jobs of the old lifecycle`]),
    ...moves.map(({ ticket }) => `gives ${ticket} back to the backlog`),
    seeds(fresh),
  ];
  return { action: "new_lifecycle", does, moves, cancels, jobs: fresh };
}

function unreadableTickets(facts: StartFacts): Verdict {
  const [first] = facts.broken;
  if (first === undefined) return undefined;
  const more = facts.broken.length === 1 ? "" : `, and ${facts.broken.length - 1} more like it`;
  return refuse(facts, "conflict", `${first.reason}${more}`, `${first.remedy}; ${anew(facts)}`);
}

/** The lifecycle has one job of a ticket at a time; triggers and people may ask for more. */
function twoClaims(facts: StartFacts): Verdict {
  const own = facts.jobs.filter(({ trigger }) => trigger === "route" || trigger === "liveness");
  for (const job of own) {
    if (job.ticket_id === null) continue;
    const twin = own.find((other) => other.ticket_id === job.ticket_id && other.role !== job.role);
    if (twin === undefined) continue;
    const why = `jobs ${job.id} ("${job.role}") and ${twin.id} ("${twin.role}") both claim ` +
      job.ticket_id;
    const look = `Look at it: svc tickets show ${job.ticket_id}`;
    return refuse(facts, "conflict", why, `${look}; ${anew(facts)}`);
  }
  return undefined;
}

function lostTicket(facts: StartFacts): Verdict {
  const known = new Set(facts.tickets.map(({ id }) => id));
  const job = inNoHands(facts).find(({ ticket_id }) => ticket_id !== null && !known.has(ticket_id));
  if (job === undefined) return undefined;
  const why = `job ${job.id} is for ${job.ticket_id}, and docs/tickets has no such ticket`;
  const look = `Bring the ticket back: git -C "${facts.repo.root}" log --all -- docs/tickets`;
  return refuse(facts, "conflict", why, `${look}; ${anew(facts)}`);
}

function lostWork(facts: StartFacts): Verdict {
  const [first] = facts.lost;
  if (first === undefined) return undefined;
  const { ticket, branch, commit } = first;
  const state = facts.tickets.find(({ id }) => id === ticket)?.state;
  const why = `${ticket} is ${state}, and its branch "${branch}" is gone`;
  const remedy = commit === undefined
    ? `Bring the branch back, or give the ticket back: svc tickets move ${ticket} backlog`
    : `Bring it back: git -C "${facts.repo.root}" branch ${branch} ${commit}`;
  return refuse(facts, "conflict", why, `${remedy}; ${anew(facts)}`);
}

/** Before any bootstrap: whatever goes on, or can be made to go on. */
function resume(facts: StartFacts): Verdict {
  const found = goOn(facts);
  if (found === undefined) return undefined;
  const { steps, does } = found;
  const quiet = steps.moves.length + steps.cancels.length + steps.jobs.length === 0;
  return { action: quiet ? "resume" : "reconcile", does, ...steps };
}

/** A backlog of tickets that only wait for each other is not mended by planning more. */
function onlyRings(facts: StartFacts): Verdict {
  const { tickets, cycles } = facts;
  const open = tickets.filter(({ state }) => state === "backlog");
  const ring = cycles.find((ids) => open.some(({ id }) => ids.includes(id)));
  if (ring === undefined || startable(tickets).length > 0) return undefined;
  const why = `all that is left are tickets that wait for each other: ${
    [...ring, ring[0]].join(" → ")
  }`;
  const remedy = `Take one out of "depends_on" of ${ring[0]}; ${anew(facts)}`;
  return refuse(facts, "conflict", why, remedy);
}

function bootstrap(facts: StartFacts): Verdict {
  const jobs = bootstrapJobs(facts);
  if (jobs.length === 0) return noBootstrapRole(facts);
  const cancels = spent(facts);
  return { action: "bootstrap", does: [seeds(jobs)], ...NOTHING, cancels, jobs };
}

/** In this order: what no flag overrides, then the flag, then what it would have overridden. */
const TABLE = {
  other_start: otherStart,
  no_manifest: noManifest,
  git_operation: gitOperation,
  other_branch: otherBranch,
  new_lifecycle: newLifecycle,
  unreadable_tickets: unreadableTickets,
  two_claims: twoClaims,
  lost_ticket: lostTicket,
  lost_work: lostWork,
  resume,
  only_rings: onlyRings,
} satisfies Record<string, (facts: StartFacts) => Verdict>;

export type StartRule = keyof typeof TABLE | "bootstrap";

export function planStart(facts: StartFacts): StartPlan {
  const saw = sights(facts);
  for (const [rule, judge] of Object.entries(TABLE)) {
    const verdict = judge(facts);
    if (verdict !== undefined) return { rule: rule as StartRule, saw, ...verdict };
  }
  return { rule: "bootstrap", saw, ...bootstrap(facts)! };
}
