/** Decides how `start` continues (spec section 3.2): the first rule of the table that fits. Pure. */
import { counted } from "svc/core/counted.ts";
import { Failure, type FailureCode } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { NewJob } from "svc/features/jobs/job_store.ts";
import { branchFault, branchRefusal, otherwiseRegister } from "svc/features/repos/branch_fault.ts";
import { startable } from "svc/features/routing/choose.ts";
import { wayOutOf } from "svc/platform/git/operation.ts";
import { resumeSteps, spentJobs, type StartMove, type StartSteps } from "./resume.ts";
import type { StartFacts } from "./facts.ts";
import { findingsIn } from "./findings.ts";
import { jobsFor } from "svc/features/jobs/job_triggers.ts";

export type StartAction = "resume" | "reconcile" | "refuse" | "bootstrap" | "new_lifecycle";

export interface StartPlan extends StartSteps {
  readonly rule: StartRule;
  readonly action: StartAction;
  readonly saw: readonly string[];
  readonly does: readonly string[];
  /** Set exactly when `action` is `refuse`. */
  readonly refusal?: Failure;
}

type RuleOutcome = Omit<StartPlan, "rule" | "saw"> | undefined;

const NOTHING: StartSteps = { moves: [], cancels: [], jobs: [] };

function refuse(
  { repo: { root } }: StartFacts,
  code: FailureCode,
  why: string,
  remedy: string,
): RuleOutcome {
  const refusal = new Failure(code, `Cannot start svc in "${root}": ${why}`, { remedy });
  return { action: "refuse", does: [], ...NOTHING, refusal };
}

const orStartOver = ({ repo: { root } }: StartFacts) =>
  `or start over: svc start --repo ${shellWord(root)} --new-lifecycle`;

function cancelLine({ repo: { root }, database }: StartFacts, { id }: { readonly id: string }) {
  const of = database === undefined ? "" : ` --db ${shellWord(database)}`;
  return `svc jobs cancel ${id} --repo ${shellWord(root)}${of}`;
}

const unowned = ({ jobs }: StartFacts) =>
  jobs.filter(({ owner }) => owner !== "alive" && owner !== "unknown");

function otherStart(facts: StartFacts): RuleOutcome {
  if (facts.otherStart === undefined) return undefined;
  const why = `it is worked on already, by ${facts.otherStart}`;
  return refuse(facts, "conflict", why, "Use that one, or stop it first");
}

function noManifest(facts: StartFacts): RuleOutcome {
  if (facts.manifest !== undefined) return undefined;
  const why = facts.problem ?? "it has no manifest";
  return refuse(facts, "environment", why, `svc doctor --repo ${shellWord(facts.repo.root)}`);
}

/** An observer writes nothing, so it may start during a merge or rebase. */
function gitOperation(facts: StartFacts): RuleOutcome {
  const { profile, checkout: { operation }, repo: { root } } = facts;
  if (profile === "observer" || operation === undefined) return undefined;
  return refuse(facts, "conflict", `a ${operation} is going on`, wayOutOf(operation, root));
}

function otherBranch(facts: StartFacts): RuleOutcome {
  const { profile, checkout: { branch: on, gone }, database, repo: { root, branch } } = facts;
  const seen = { root, branch, on, gone, database };
  const fault = branchFault(seen);
  if (profile === "observer" || fault === undefined) return undefined;
  const remedy = `${fault.remedy}${otherwiseRegister(seen)}`;
  return refuse(facts, "conflict", branchRefusal(seen), remedy);
}

/** Otherwise each ticket would be moved and then blocked, one by one. */
function unfitRepo(facts: StartFacts): RuleOutcome {
  const [first, ...more] = facts.obstacles;
  if (first === undefined) return undefined;
  const others = more.length === 0 ? "" : `; and ${more.length} more`;
  const why = `no job can have a work tree of it: ${first.why}${others}`;
  return refuse(facts, "refused", why, first.remedy);
}

function bootstrapJobs({ repo, manifest }: StartFacts): NewJob[] {
  return jobsFor({ kind: "bootstrap" }, { id: repo.id, manifest });
}

function noBootstrapRole(facts: StartFacts): RuleOutcome {
  const remedy = 'Add "triggers: [{ on: bootstrap }]" to a role of .harness/manifest.yaml';
  const why = "no role of the manifest has a trigger bootstrap";
  return refuse(facts, "environment", why, remedy);
}

const seeds = (jobs: readonly NewJob[]) =>
  `seeds a fresh lifecycle: ${jobs.map(({ role }) => role).join(", ")}`;

/** Jobs of other processes and pending settlements stay; everything else begins again from the backlog. */
function newLifecycle(facts: StartFacts): RuleOutcome {
  const { flags, profile, tickets, jobs, settlements } = facts;
  if (!flags.newLifecycle) return undefined;
  const fresh = bootstrapJobs(facts);
  if (fresh.length === 0) return noBootstrapRole(facts);
  const known = new Set<string | null>([null, ...tickets.map(({ id }) => id)]);
  const old = unowned(facts).filter(({ trigger, ticket_id }) =>
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
    ...(cancels.length === 0
      ? []
      : [`cancels ${counted(cancels.length, "job")} of the old lifecycle`]),
    ...moves.map(({ ticket }) => `gives ${ticket} back to the backlog`),
    seeds(fresh),
  ];
  return { action: "new_lifecycle", does, moves, cancels, jobs: fresh };
}

function unreadableTickets(facts: StartFacts): RuleOutcome {
  const [first] = facts.broken;
  if (first === undefined) return undefined;
  const more = facts.broken.length === 1 ? "" : `, and ${facts.broken.length - 1} more like it`;
  return refuse(
    facts,
    "conflict",
    `${first.reason}${more}`,
    `${first.remedy}; ${orStartOver(facts)}`,
  );
}

/** A lifecycle has one job per ticket; triggers and people may queue more. */
function twoClaims(facts: StartFacts): RuleOutcome {
  const own = facts.jobs.filter(({ trigger }) => trigger === "route" || trigger === "liveness");
  for (const job of own) {
    if (job.ticket_id === null) continue;
    const twin = own.find((other) => other.ticket_id === job.ticket_id && other.role !== job.role);
    if (twin === undefined) continue;
    const why = `jobs ${job.id} ("${job.role}") and ${twin.id} ("${twin.role}") both claim ` +
      job.ticket_id;
    const look = `Look at it: svc tickets show ${job.ticket_id}`;
    const end = `end one of them: ${cancelLine(facts, twin)}`;
    return refuse(facts, "conflict", why, `${look}; ${end}; ${orStartOver(facts)}`);
  }
  return undefined;
}

function lostTicket(facts: StartFacts): RuleOutcome {
  const known = new Set(facts.tickets.map(({ id }) => id));
  const job = unowned(facts).find(({ ticket_id }) => ticket_id !== null && !known.has(ticket_id));
  if (job === undefined) return undefined;
  const why = `job ${job.id} is for ${job.ticket_id}, and docs/tickets has no such ticket`;
  const look = `Bring the ticket back: git -C ${
    shellWord(facts.repo.root)
  } log --all -- docs/tickets`;
  const end = `if it is not wanted any more: ${cancelLine(facts, job)}`;
  return refuse(facts, "conflict", why, `${look}; ${end}; ${orStartOver(facts)}`);
}

function lostWork(facts: StartFacts): RuleOutcome {
  const [first] = facts.lost;
  if (first === undefined) return undefined;
  const { ticket, branch, commit } = first;
  const state = facts.tickets.find(({ id }) => id === ticket)?.state;
  const why = `${ticket} is ${state}, and its branch "${branch}" is gone`;
  const remedy = commit === undefined
    ? `Bring the branch back, or give the ticket back: svc tickets move ${ticket} backlog`
    : `Bring it back: git -C ${shellWord(facts.repo.root)} branch ${shellWord(branch)} ${commit}`;
  return refuse(facts, "conflict", why, `${remedy}; ${orStartOver(facts)}`);
}

function resume(facts: StartFacts): RuleOutcome {
  const found = resumeSteps(facts);
  if (found === undefined) return undefined;
  const { steps, does } = found;
  const quiet = steps.moves.length + steps.cancels.length + steps.jobs.length === 0;
  return { action: quiet ? "resume" : "reconcile", does, ...steps };
}

/** Refuses when the backlog's tickets only wait for each other: a bootstrap would not help. */
function onlyCycles(facts: StartFacts): RuleOutcome {
  const { tickets, cycles } = facts;
  const open = tickets.filter(({ state }) => state === "backlog");
  const ring = cycles.find((ids) => open.some(({ id }) => ids.includes(id)));
  if (ring === undefined || startable(tickets).length > 0) return undefined;
  const why = `all that is left are tickets that wait for each other: ${
    [...ring, ring[0]].join(" → ")
  }`;
  const remedy = `Take one out of "depends_on" of ${ring[0]}; ${orStartOver(facts)}`;
  return refuse(facts, "conflict", why, remedy);
}

function bootstrap(facts: StartFacts): RuleOutcome {
  const jobs = bootstrapJobs(facts);
  if (jobs.length === 0) return noBootstrapRole(facts);
  const cancels = spentJobs(facts);
  return { action: "bootstrap", does: [seeds(jobs)], ...NOTHING, cancels, jobs };
}

/** In order: rules that no flag overrides, `--new-lifecycle`, rules that it overrides. */
const TABLE = {
  other_start: otherStart,
  no_manifest: noManifest,
  git_operation: gitOperation,
  other_branch: otherBranch,
  unfit_repo: unfitRepo,
  new_lifecycle: newLifecycle,
  unreadable_tickets: unreadableTickets,
  two_claims: twoClaims,
  lost_ticket: lostTicket,
  lost_work: lostWork,
  resume,
  only_rings: onlyCycles,
} satisfies Record<string, (facts: StartFacts) => RuleOutcome>;

export type StartRule = keyof typeof TABLE | "bootstrap";

export function planStart(facts: StartFacts): StartPlan {
  const saw = findingsIn(facts);
  for (const [rule, judge] of Object.entries(TABLE)) {
    const verdict = judge(facts);
    if (verdict !== undefined) return { rule: rule as StartRule, saw, ...verdict };
  }
  return { rule: "bootstrap", saw, ...bootstrap(facts)! };
}
