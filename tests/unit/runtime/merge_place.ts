/** A repo whose approved branch waits for a pull request, with a remote by path. */
import { type Repo, RepoOpener } from "svc/features/repos/repo.ts";
import { uuidV7 } from "svc/core/ids.ts";
import { recordDecision } from "svc/features/routing/decision_store.ts";
import { recordSettlement } from "svc/features/routing/settlement_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoProcesses, type Processes, type Run } from "svc/platform/process/process.ts";
import type { OwnerPorts } from "svc/runtime/ports.ts";
import { checkMerges, type MergeWatch } from "svc/runtime/settle/check_merge.ts";
import { settlePending } from "svc/runtime/settle/settle.ts";
import { plainGit, tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import { mergeOnHost } from "tests/kit/merge_on_host.ts";
import type { FixturePull } from "tests/unit/features/access/api_fixture.ts";
import { enginePorts, harnessedRepo, registered, ticketed, ticketsOf } from "./engine_place.ts";

export const TOKEN = "ghp_hush_hush_0123456789";
export const BRANCH = "svc/T-0001-make-the-test-pass";

/** What git_commit writes below its messages. */
export const OF_A_JOB = "Svc-Role: engineer\nSvc-Job: earlier\nSvc-Ticket: T-0001";

export interface MergePlan {
  readonly base: string;
  readonly bare: string;
  readonly api: string;
  readonly token?: string | undefined;
  /** As in the config of the user. */
  readonly hosts?: Config["code_hosts"];
  /** Further settings of the user. */
  readonly config?: { readonly codehost_token?: string };
  /** Further ones of the environment. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Added to the clock, ms. */
  readonly later?: number;
}

/** The repo of the database, and the ports of a process that works on it. */
async function inRepo<T>(
  { base, bare, api, token = TOKEN, later = 0, hosts = [], vars = {}, config = {} }: MergePlan,
  processes: Processes,
  work: (ports: OwnerPorts, repo: Repo) => Promise<T>,
): Promise<T> {
  await using parts = await enginePorts(base, { processes: () => processes });
  const row = (await parts.db.selectFrom("repos").selectAll().execute())[0]!;
  const known: Record<string, string> = { ...(token !== "" && { GITHUB_TOKEN: token }), ...vars };
  const ports = {
    ...parts,
    env: {
      ...parts.env,
      get: (name: string) => known[name] ?? parts.env.get(name),
      all: () => ({ ...parts.env.all(), ...known }),
    },
    clock: { ...systemClock, now: () => Date.now() + later },
    codeHost: { api, pushUrl: () => bare },
    settings: () => Promise.resolve(Config.parse({ code_hosts: hosts, ...config })),
    signal: new AbortController().signal,
  };
  using opened = await new RepoOpener(ports).open(row, ports);
  return await work(ports, opened);
}

/** One round of settling, by whatever process. */
export const settleOnce = (plan: MergePlan, processes: Processes = denoProcesses()) =>
  inRepo(plan, processes, settlePending);

/** What a process without an engine does: it settles, and checks what must be checked first. */
export const landOnce = (
  plan: Pick<MergePlan, "base">,
  watch: Partial<MergeWatch> = {},
): Promise<string[]> =>
  inRepo({ ...plan, bare: "", api: "" }, denoProcesses(), async (ports, repo) => {
    const said: string[] = [];
    await settlePending(ports, repo);
    await checkMerges(ports, repo, {
      ...{ signal: ports.signal, step() {}, said: (text) => said.push(text) },
      ...watch,
    });
    return said;
  });

export interface MergePlace extends AsyncDisposable {
  readonly repo: TempRepo;
  readonly base: string;
  readonly bare: string;
  /** Tip of the approved branch. */
  commit: string;
  /** All git commands of the rounds, as words. */
  readonly argv: string[][];
  round(api: string, more?: Partial<MergePlan>): ReturnType<typeof settleOnce>;
  /** Owes the merge of `commit`; gives the settlement's id. */
  owe(): Promise<string>;
  /** A person commits on main, and the approved work comes from there. */
  commitBelow(subject: string, files: Readonly<Record<string, string>>): Promise<void>;
  state(): Promise<{ ticket: string; text: string; settlements: Settlement[] }>;
  tip(branch: string): Promise<string>;
  /** Somebody presses the button of the pull request. */
  mergeThere(pull: FixturePull, more?: Partial<Parameters<typeof mergeOnHost>[1]>): Promise<void>;
}

export async function mergePlace(
  { remote = "ada/shop", host = "github.com", ticket = {}, merge = "pull_request" }: {
    readonly remote?: string | null;
    readonly host?: string | null;
    readonly merge?: "pull_request" | "local" | "manual";
    readonly ticket?: { readonly title?: string; readonly acceptance?: string[] };
  } = {},
): Promise<MergePlace> {
  const [home, bare] = [await tempFolder(), await tempFolder()];
  await plainGit(bare.path, ["init", "--quiet", "--bare", "."]);
  const manifest = (text: string) => text.replace(/^dispatch:$/m, `dispatch:\n  merge: ${merge}`);
  const repo = await harnessedRepo({
    manifest: (text) =>
      /^dispatch:/m.test(text)
        ? manifest(text.replace(/^ {2}merge:.*\n/m, ""))
        : `${text}dispatch:\n  merge: ${merge}\n`,
  });
  await repo.git("push", "--quiet", bare.path, "main");
  const [base, argv] = [home.path, [] as string[][]];
  await using parts = await enginePorts(base);
  const repoId = await registered(parts, repo.path);
  await parts.db.updateTable("repos").set({ remote, host }).execute();
  const id = await ticketed(parts, repo.path, ticket);
  using checkout = await openCheckout(
    { ...parts, signal: new AbortController().signal },
    repo.path,
  );
  for (const to of ["in-progress", "review"] as const) {
    await moveTicket(checkout, id, { to, reason: `to ${to}`, actor: "ada" });
  }
  await repo.git("switch", "--quiet", "-c", BRANCH);
  const commit = await repo.commit(`fix: the test passes\n\n${OF_A_JOB}`, { "fixed.txt": "yes\n" });
  await repo.git("switch", "--quiet", "main");
  const place: MergePlace = {
    ...{ repo, base, bare: bare.path, commit: commit.trim(), argv },
    round(api, more = {}) {
      const real = denoProcesses();
      const processes: Processes = {
        ...real,
        run(command: Run) {
          argv.push([command.program, ...command.args]);
          return real.run(command);
        },
      };
      return settleOnce({ base, bare: bare.path, api, ...more }, processes);
    },
    async owe() {
      await using again = await enginePorts(base);
      const now = Date.now();
      const [settlement, decision, job_id] = [uuidV7(now), uuidV7(now), uuidV7(now)];
      await recordDecision(again.db, {
        ...{ id: decision, repo_id: repoId, job_id, at: now, role: "qa", ticket_id: id },
        ...{ disposition: "approved", rule: "roles.qa.routes.approved", refused: "[]" },
        ...{ inputs: JSON.stringify({ checks: "passed" }), move: "review → done" },
        ...{ next_role: null, next_job: null, stop: null, applied: 1 },
      });
      await recordSettlement(again.db, {
        ...{ id: settlement, repo_id: repoId, decision_id: decision, job_id, ticket_id: id },
        ...{ from_state: "review", to_state: "done", unblock: null, reason: "approved" },
        ...{ actor: "agent:qa", attempt: 0, merge_from: BRANCH, merge_into: "main" },
        ...{ merge_commit: place.commit, state: "pending", waits_for: null, created_at: now },
        ...{ settled_at: null, outcome: null, fault: null },
      });
      return settlement;
    },
    async commitBelow(subject, files) {
      await repo.commit(subject, files);
      await repo.git("switch", "--quiet", BRANCH);
      await repo.git("rebase", "--quiet", "main");
      place.commit = (await repo.git("rev-parse", "HEAD")).trim();
      await repo.git("switch", "--quiet", "main");
      await place.owe();
    },
    async state() {
      await using again = await enginePorts(base);
      const [found] = await ticketsOf(again, repo.path);
      const settlements = await again.db.selectFrom("settlements").selectAll().orderBy("id")
        .execute();
      return { ticket: found!.state, text: await repo.read(found!.path), settlements };
    },
    tip: async (branch) =>
      (await plainGit(bare.path, ["rev-parse", "--verify", "--quiet", branch])).stdout.trim(),
    async mergeThere(pull, more = {}) {
      const plan = { branch: BRANCH, into: "main", way: "merge", ...more } as const;
      const merge_commit_sha = await mergeOnHost(bare.path, plan);
      const merged_at = "2026-01-02T03:04:05Z";
      Object.assign(pull, { state: "closed", merged_at, merge_commit_sha });
    },
    async [Symbol.asyncDispose]() {
      for (const one of [repo, bare, home]) await one[Symbol.asyncDispose]();
    },
  };
  await place.owe();
  return place;
}

/** `merge_place.ts <plan as JSON>`: in a process of its own, for tests that kill it. */
if (import.meta.main) {
  const plan = JSON.parse(Deno.args[0]!) as MergePlan;
  if (plan.api !== "") await settleOnce(plan);
  else await landOnce(plan, { said: console.log, step: console.log });
}
