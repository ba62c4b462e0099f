/** What a demo ends with: what was merged, what it cost, where the evidence lies. */
import type { DecisionItem } from "svc/runtime/views/decision_item.ts";
import type { JobItem } from "svc/runtime/views/job_item.ts";
import type { Jobs } from "svc/runtime/views/jobs_view.ts";
import type { Pipeline } from "svc/runtime/views/pipeline_view.ts";
import type { RoleHealth } from "svc/runtime/views/roles_view.ts";
import type { Dashboard } from "./dashboard.ts";
import { git, type Site } from "./site.ts";

interface Totals {
  readonly jobs: number;
  readonly turns: number;
  readonly tokens: number;
  readonly models: readonly string[];
}

async function totals(dashboard: Dashboard): Promise<Totals> {
  const jobs: JobItem[] = [];
  for (let path: string | undefined = "/api/jobs"; path !== undefined;) {
    const page: Jobs = await dashboard.read(path);
    jobs.push(...page.jobs);
    path = page.before === null ? undefined : `/api/jobs?before=${page.before}`;
  }
  const sum = (of: (job: JobItem) => number) => jobs.reduce((total, job) => total + of(job), 0);
  const models = jobs.flatMap(({ model, evidence }) =>
    model === null ? [] : `${model} (${evidence})`
  );
  return {
    jobs: jobs.length,
    turns: sum(({ turns }) => turns),
    tokens: sum(({ tokens_in, tokens_out }) => tokens_in + tokens_out),
    models: [...new Set(models)],
  };
}

/** Commits on the branch since the demo began that are neither merges nor svc's own moves of tickets. */
async function work({ repo }: Site, since: string): Promise<string[]> {
  const args = ["--no-merges", "--reverse", "--format=%h %s", `${since}..HEAD`];
  const lines = (await git(repo, "log", ...args)).trim().split("\n");
  return lines.filter((line) => line !== "" && !/^\w+ chore\((?:tickets|harness)\)/.test(line));
}

async function trail(dashboard: Dashboard): Promise<string[]> {
  const { decisions }: { decisions: readonly DecisionItem[] } = await dashboard.read(
    "/api/orchestration/decisions",
  );
  return decisions.toReversed().map(({ role, ticket_id, disposition, move, next_role, stop }) => {
    const what = move === null || ticket_id === null ? "" : `; ${ticket_id} ${move}`;
    return `${role}: ${disposition}${what}; ${
      next_role === null ? `stop: ${stop}` : `then ${next_role}`
    }`;
  });
}

async function scores(dashboard: Dashboard): Promise<string[]> {
  const { roles } = await dashboard.read<RoleHealth>("/api/roles");
  return roles.filter(({ samples }) => samples > 0).map(({ role, score, samples, successes }) =>
    `${role}: ${score ?? "insufficient data"}, ${successes} of ${samples} outcomes good`
  );
}

function section(title: string, lines: readonly string[]): string {
  const [first = "nothing", ...rest] = lines;
  const pad = " ".repeat(11);
  return [title.padEnd(11) + first, ...rest.map((line) => pad + line)].join("\n");
}

export async function summary(
  dashboard: Dashboard,
  site: Site,
  { since, seconds }: { readonly since: string; readonly seconds: number },
): Promise<string> {
  const { jobs, turns, tokens, models } = await totals(dashboard);
  const { repos } = await dashboard.read<Pipeline>("/api/pipeline");
  const { done = 0, blocked = 0 } = repos[0]?.tickets ?? {};
  const spent = `${jobs} jobs, ${turns} turns, ${tokens.toLocaleString("en")} tokens`;
  return [
    section("done", [
      `${done} tickets in ${seconds} s${blocked > 0 ? `, ${blocked} blocked` : ""}`,
    ]),
    section("merged", await work(site, since)),
    section("decisions", await trail(dashboard)),
    section("scores", await scores(dashboard)),
    section("cost", [spent, `model: ${models.join(", ")}`]),
    section("evidence", [
      `git -C ${site.repo} log --graph --oneline`,
      `${site.repo}/docs/tickets/done/`,
      `${site.home}/traces/`,
    ]),
  ].join("\n");
}
