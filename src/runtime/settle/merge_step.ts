/** Merges approved work by the manifest's merge policy, once it is certain that it may be merged. */
import { pathList } from "svc/core/path_list.ts";
import { commitMakers } from "svc/features/jobs/commit_store.ts";
import { waiverOf } from "svc/features/checks/waiver_store.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { type CheckedWork, checksTold, notedChecks } from "svc/features/routing/checked_work.ts";
import { checksOfJob, decisionById } from "svc/features/routing/decision_store.ts";
import { PERSON_RULE } from "svc/features/routing/decision_table.ts";
import { mergeCheckOf, wantMergeCheck } from "svc/features/routing/merge_check_store.ts";
import type { MergeCheck } from "svc/features/routing/merge_check_table.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import { TICKETS } from "svc/features/tickets/ticket_places.ts";
import type { ProvenFiles } from "svc/platform/git/worktrees.ts";
import { databasePath } from "svc/store/database_path.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { teamTip } from "svc/runtime/job/hand_over.ts";
import { faultOf, notPushed } from "./branch_guard.ts";
import { pullRequestStep } from "./pull_request.ts";
import { sentBack } from "./send_back.ts";
import { blocked, foundTicket, GO, mergeMessage, type SettleStep } from "./settle_step.ts";
import { MERGE_CHECK, wordWanted, wordWantedOverRed } from "./unchecked.ts";

/** What svc noted of an approval where no check had looked at the work. */
const UNCHECKED: ReadonlySet<string> = new Set(["none", "not_run"]);

export async function mergeStep(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
): Promise<SettleStep> {
  const from = settlement.merge_from!;
  const into = settlement.merge_into!;
  const { manifest } = await repo.manifest();
  const policy = manifest?.dispatch.merge ?? "manual";
  const head = settlement.merge_commit!;
  const target = `refs/heads/${into}`;
  const commits = await repo.git.commitsSince(head, target);
  if (commits.length === 0) return GO; // merged already: by us before a crash, or by a person
  const tip = await teamTip(ports, repo, from);
  // The approved commit counts: a deleted branch cannot have newer commits.
  if (tip !== undefined && tip !== head) {
    return { kind: "superseded", why: `${from} moved on since it was approved` };
  }
  // Another branch has other tickets.
  const tells = await repo.branchFault() === undefined;
  const pulledBack = tells ? await ticketFault(repo, settlement) : undefined;
  if (pulledBack !== undefined) return { kind: "superseded", why: pulledBack };
  const branch = async () => {
    const makers = await commitMakers(ports.db, { repo_id: repo.id, branch: from });
    return { head, into: target, commits, makers };
  };
  if (policy === "pull_request") {
    const guard = async () => await notPushed(ports, repo, manifest, await branch());
    return await byPullRequest(ports, repo, { settlement, guard });
  }
  if (policy !== "local") {
    // A person may have squashed it.
    if (await ports.worktrees.addsNothing(repo.git, settlement.merge_commit!, into)) return GO;
    return { kind: "wait", why: `a person to merge ${from} into ${into} (${policy})` };
  }
  const fault = await faultOf(ports, repo, manifest, await branch());
  if (fault !== undefined) return await keptOut(ports, settlement, fault);
  return await mergeHere(ports, repo, settlement, manifest);
}

interface Proofs {
  readonly known: MergeCheck | undefined;
  /** A person lets in what no green check has judged. */
  readonly word: boolean;
}

/** Each check is red with the work and without it, which is as good as no check at all. */
const isUnjudged = ({ checks }: CheckedWork) => checks === "unjudged";

/** The trees that were checked: that of the approved commit, or that of the merge itself. */
async function provenFiles(
  { db }: RuntimePorts,
  { job_id, merge_commit }: Settlement,
  { known, word }: Proofs,
): Promise<ProvenFiles> {
  const counts = (seen: CheckedWork) => !UNCHECKED.has(seen.checks) && (word || !isUnjudged(seen));
  const ofJob = job_id === null ? undefined : await checksOfJob(db, job_id);
  const commit = ofJob !== undefined && counts(ofJob) ? merge_commit! : undefined;
  const ofMerge = known?.outcome === "passed" ? notedChecks(known.said ?? "") : undefined;
  const named = known !== undefined && ofMerge !== undefined && counts(ofMerge)
    ? [known.files]
    : [];
  // svc's own commits move tickets, and no check ran on them before.
  return { beside: TICKETS, commit, named };
}

/** A person has seen this very commit, or lets in whatever roles approve: the word that unchecked work waits for. */
async function wordGiven(
  db: RuntimePorts["db"],
  { decision_id, repo_id }: Settlement,
): Promise<boolean> {
  const decision = decision_id === null ? undefined : await decisionById(db, decision_id);
  return decision?.rule === PERSON_RULE || await waiverOf(db, repo_id) !== undefined;
}

/**
 * Policy `local`: if the merge results in other files than those that were checked, it waits for checks of its
 * own.
 */
async function mergeHere(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  manifest: Manifest | undefined,
): Promise<SettleStep> {
  const { db, clock, worktrees } = ports;
  const { id, repo_id, ticket_id: ticket } = settlement;
  const from = settlement.merge_from!;
  const wanted = ticket === null ? undefined : { ticket, commit: settlement.merge_commit! };
  const checked = manifest !== undefined && manifest.project.checks.length > 0;
  const word = await wordGiven(db, settlement);
  const asked = async () => ({ root: repo.root, database: await databasePath(db) });
  if (!checked && !word) return { kind: "wait", why: wordWanted(await asked(), wanted) };
  const known = await mergeCheckOf(db, id);
  const doing = `merge ${from}`;
  const plan = {
    doing,
    into: settlement.merge_into!,
    // The approved commit, wherever the branch is by now.
    from: settlement.merge_commit!,
    message: mergeMessage(settlement),
    ...(checked && { proven: await provenFiles(ports, settlement, { known, word }) }),
  };
  const outcome = await repo.locked(doing, () => worktrees.merge(repo.git, plan));
  if (outcome.kind === "merged") return landed(settlement, known);
  if (outcome.kind === "nothing") return GO;
  if (outcome.kind === "dirty") {
    return { kind: "wait", why: `a clean checkout: ${pathList(outcome.paths.slice(0, 5))}` };
  }
  if (outcome.kind === "conflict") return await conflict(ports, settlement, outcome.paths);
  const { into: into_commit, files } = outcome;
  if (known?.files === files && known.outcome === "checks_failed") {
    return await sentBack(ports, repo, settlement, { manifest, check: known });
  }
  if (known?.files === files && known.outcome === "passed") {
    const { redBefore } = notedChecks(known.said ?? "");
    const over = { into: plan.into, red: redBefore };
    return { kind: "wait", why: wordWantedOverRed(await asked(), wanted, over) };
  }
  await wantMergeCheck(db, { settlement_id: id, repo_id, into_commit, files, at: clock.now() });
  return { kind: "wait", why: MERGE_CHECK };
}

/** The ticket says what was red in the merge, and no fault of the work. */
function landed(settlement: Settlement, known: MergeCheck | undefined): SettleStep {
  const seen = known?.outcome === "passed" ? notedChecks(known.said ?? "") : undefined;
  if (seen === undefined || seen.redBefore.length === 0) return GO;
  const reason = `${settlement.reason}. Checks of the merge: ${checksTold(seen)}`;
  return { kind: "changed", settlement: { ...settlement, reason } };
}

/** Why the work must not be merged any more: somebody moved or removed the ticket. */
async function ticketFault(
  repo: Repo,
  { ticket_id: id, from_state: from, to_state: to }: Settlement,
): Promise<string | undefined> {
  if (id === null || from === null) return undefined;
  const opened = await foundTicket(repo, id);
  if (typeof opened === "string") return opened;
  const { state } = opened.ticket;
  return state === from || state === to ? undefined : `${id} is ${state} by now`;
}

async function keptOut(
  ports: RuntimePorts,
  settlement: Settlement,
  fault: string,
): Promise<SettleStep> {
  const reason = `${settlement.merge_from} was not merged: ${fault}`;
  return await blocked(ports, settlement, { action: `${fault}; then unblock it`, reason });
}

async function byPullRequest(
  ports: RuntimePorts,
  repo: Repo,
  { settlement, guard }: {
    readonly settlement: Settlement;
    guard(): ReturnType<typeof notPushed>;
  },
): Promise<SettleStep> {
  const step = await pullRequestStep(ports, repo, settlement, guard);
  if (step.kind === "merged") return GO;
  if (step.kind === "wait") return step;
  if (step.kind === "refused") return await keptOut(ports, settlement, step.why);
  const action = `Say in the ticket what must change, or reopen ${step.url}, then unblock it`;
  const reason = `pr_closed: pull request #${step.number} was closed and not merged: ${step.url}`;
  return await blocked(ports, settlement, { action, reason });
}

async function conflict(
  ports: RuntimePorts,
  settlement: Settlement,
  paths: readonly string[],
): Promise<SettleStep> {
  const { merge_from, merge_into } = settlement;
  const where = paths.slice(0, 10).join(", ");
  const reason = `merging ${merge_from} into ${merge_into} conflicts in ${where}`;
  const action = `Merge ${merge_into} into ${merge_from}, settle ${where}, commit it with the ` +
    'trailer "Svc-Role: person", then unblock it';
  return await blocked(ports, settlement, { action, reason });
}
