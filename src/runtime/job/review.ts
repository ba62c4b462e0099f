/** What a role that judges a change is told before its first turn: the change, and how the checks ended. */
import type { ReviewedChange } from "svc/features/agent/prompt.ts";
import { baseChecksAt, definitionOfCheck } from "svc/features/checks/base_check_store.ts";
import type { Manifest, ManifestRole } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { newestJobsOf } from "svc/features/jobs/job_views.ts";
import { decisionById, decisionOfJob } from "svc/features/routing/decision_store.ts";
import type { Decision } from "svc/features/routing/decision_table.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Toolbox } from "svc/features/tools/tool.ts";
import type { Db } from "svc/store/schema.ts";
import type { JobTree } from "./job_tree.ts";

interface ReviewJob {
  readonly job: Pick<Job, "repo_id" | "ticket_id" | "caused_by">;
  readonly repo: Pick<Repo, "baseBranch">;
  readonly tree: Pick<JobTree, "git" | "given" | "ownBranch">;
  readonly definition: Pick<ManifestRole, "routes">;
  readonly manifest: Manifest;
  readonly toolbox: Toolbox;
  readonly signal: AbortSignal;
}

/**
 * Undefined for a role that judges nothing, or may not see the diff. The text is what `git_diff` answers,
 * so redacted and bounded, without what file_read would not show.
 */
export async function reviewOf(db: Db, asked: ReviewJob): Promise<ReviewedChange | undefined> {
  const { tree, definition, toolbox, signal } = asked;
  if (definition.routes.approved === undefined || tree.ownBranch === undefined) return undefined;
  const offered = await toolbox.offered();
  if (!offered.some((tool) => tool.function.name === "git_diff")) return undefined;
  const { text } = await toolbox.call("git_diff", {}, { signal });
  return { diff: text, ...await checksSeen(db, asked) };
}

/** Jobs of a ticket among which the newest hand-in is looked for. */
const REVIEW_JOBS = 20;

/** The decision after the work that is judged. */
async function handIn(
  db: Db,
  { repo_id, ticket_id, caused_by }: ReviewJob["job"],
): Promise<Decision | undefined> {
  if (ticket_id === null) return caused_by === null ? undefined : await decisionById(db, caused_by);
  const jobs = await newestJobsOf(db, repo_id, ticket_id, REVIEW_JOBS);
  const work = jobs.find(({ disposition }) => disposition === "submitted");
  return work && await decisionOfJob(db, work.id);
}

/** As `conclude` writes them. */
interface SeenChecks {
  readonly head?: string | null;
  readonly checks?: string;
  readonly failed_checks?: readonly string[];
  readonly red_before?: readonly string[];
  readonly red_before_output?: string;
}

const RAN: ReadonlySet<string | undefined> = new Set([
  "passed",
  "red_before",
  "unjudged",
  "failed",
]);

/** How the checks ended when the work was handed in; svc runs them again when it is approved. */
async function checksSeen(db: Db, asked: ReviewJob): Promise<Omit<ReviewedChange, "diff">> {
  const { job, tree: { given } } = asked;
  const names = asked.manifest.project.checks.map(({ name }) => name);
  if (names.length === 0) return { checks: "The project names no checks." };
  const decision = await handIn(db, job);
  const seen: SeenChecks = decision === undefined ? {} : JSON.parse(decision.inputs);
  const commit = given?.slice(0, 12) ?? "none";
  if (given === undefined || seen.head !== given || !RAN.has(seen.checks)) {
    return { checks: `svc has not run the checks on this commit (${commit}).` };
  }
  const { failed_checks: failed = [], red_before: before = [] } = seen;
  const passed = names.filter((name) => !failed.includes(name) && !before.includes(name));
  const mended = await redOnBase(db, asked, passed);
  const list = (what: string, which: readonly string[]) =>
    which.length === 0 ? [] : [`${what}: ${which.join(", ")}`];
  const outcome = [
    ...list("passed", passed.filter((name) => !mended.includes(name))),
    ...list("passed, and failed before this change", mended),
    ...list("failed", failed),
    ...list("failed before this change and still fails", before),
  ];
  const checks = `svc ran the checks on this very commit (${commit}): ${outcome.join("; ")}.`;
  return { checks, ...(seen.red_before_output && { output: seen.red_before_output }) };
}

/** Those of the checks that svc saw fail on the commit at which the branch left its base. */
async function redOnBase(
  db: Db,
  { job, tree, repo, manifest: { project } }: ReviewJob,
  names: readonly string[],
): Promise<string[]> {
  const base = await tree.git.mergeBase("HEAD", `refs/heads/${repo.baseBranch}`);
  if (base === undefined) return [];
  const known = await baseChecksAt(db, { repoId: job.repo_id, commit: base });
  const red = new Set(
    known.filter(({ outcome }) => outcome !== "passed").map(({ definition }) => definition),
  );
  const found: string[] = [];
  for (const command of project.checks.filter(({ name }) => names.includes(name))) {
    if (red.has(await definitionOfCheck(command, project.setup))) found.push(command.name);
  }
  return found;
}
