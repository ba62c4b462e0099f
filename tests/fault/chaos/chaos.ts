/** One repo carried to its merge by processes that are killed; what it came to is compared as text. */
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  ticketed,
  ticketsOf,
} from "tests/unit/runtime/engine_place.ts";
import { SLOW_TEAM, TEAM } from "tests/unit/runtime/team.ts";
import type { ChaosOrder } from "./engine_program.ts";

export interface Ended {
  readonly code: number;
  readonly signal: string | null;
  readonly stdout: string;
}

async function program(order: ChaosOrder): Promise<Ended> {
  const { code, signal, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-all", "--no-check", "--quiet"],
      new URL("engine_program.ts", import.meta.url).href,
      JSON.stringify(order),
    ],
    stdin: "null",
    stderr: "inherit",
  }).output();
  return { code, signal, stdout: new TextDecoder().decode(stdout) };
}

export interface Chaos extends AsyncDisposable {
  /** A repo with one ticket, killed as ordered, then carried to its end. */
  run(how: Pick<ChaosOrder, "dieAt" | "dieAfterMs" | "named">): Promise<Outcome>;
}

export interface Outcome {
  /** The first process was killed. */
  readonly killed: boolean;
  readonly stdout: string;
  /** From the start of the second process to its first claim; undefined when nothing was left to do. */
  readonly claimedMs?: number;
  /** Everything that must be the same however often somebody was killed. */
  readonly state: string;
}

/** @param team "slow": with an attempt that fails its check, and a change that is sent back */
export async function chaos(team: "quick" | "slow" = "quick"): Promise<Chaos> {
  const endpoint = modelEndpoint(team === "slow" ? SLOW_TEAM : TEAM);
  const template = await harnessedRepo();
  return {
    async run(how) {
      await using base = await tempFolder("svc-chaos-");
      const repo = `${base.path}/repo`;
      await new Deno.Command("cp", { args: ["-a", template.path, repo] }).output();
      {
        await using ports = await enginePorts(base.path);
        const id = await registered(ports, repo);
        await ticketed(ports, repo);
        await queued(ports, id, "orchestrator");
      }
      const order = { base: base.path, endpoint: endpoint.url };
      const first = await program({ ...order, ...how });
      const killed = first.signal === "SIGKILL";
      if (!killed && first.code !== 0) throw new Error(`the engine ended with ${first.code}`);
      const next = killed ? await program(order) : undefined;
      if (next !== undefined && next.code !== 0) {
        throw new Error(`the next engine ended with ${next.code}`);
      }
      const claimed = /^first claim (\d+)$/m.exec(next?.stdout ?? "")?.[1];
      return {
        ...{ killed, stdout: first.stdout, state: await stateOf(base.path, repo) },
        ...(claimed !== undefined && { claimedMs: Number(claimed) }),
      };
    },
    async [Symbol.asyncDispose]() {
      await endpoint[Symbol.asyncDispose]();
      await template[Symbol.asyncDispose]();
    },
  };
}

async function stateOf(base: string, repo: string): Promise<string> {
  await using ports = await enginePorts(base);
  const jobs = await ports.db.selectFrom("jobs").selectAll().orderBy("id").execute();
  const settled = await ports.db.selectFrom("settlements").selectAll().orderBy("id").execute();
  const git = async (...args: string[]) => (await plainGit(repo, args)).stdout.trimEnd();
  const worktrees = await git("worktree", "list", "--porcelain");
  const tickets = await ticketsOf(ports, repo);
  const live = jobs.filter(({ status }) => status === "pending" || status === "running");
  const evidence = await Deno.readTextFile(`${repo}/${tickets[0]!.path}`);
  return [
    ...jobs.map(({ role, status, disposition, ticket_id }) =>
      `job ${role} ${ticket_id} ${status} ${disposition}`
    ),
    `live jobs ${live.length}`,
    ...settled.map(({ state, merge_from, to_state, waits_for }) =>
      `settlement ${state} ${merge_from} ${to_state} ${waits_for}`
    ),
    ...tickets.map(({ id, state, attempts, rework }) => `${id} ${state} ${attempts} ${rework}`),
    ...(evidence.split("## Evidence")[1] ?? "").trim().split("\n")
      .map((line) => line.replaceAll(/\d{4}-\S+Z|\b[0-9a-f]{7,40}\b/g, "…")),
    await git("log", "--first-parent", "--format=%s", "main"),
    await git("log", "--format=%s", "main^{/merge}^2", "--not", "main^{/merge}^1"),
    await git("branch", "--format=%(refname)"),
    `worktrees ${worktrees.split("\n\n").length}`,
    await git("status", "--porcelain"),
    await git("fsck", "--no-dangling"),
  ].join("\n");
}
