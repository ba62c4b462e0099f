/** One repo carried to its merge by processes that are killed; what it came to is compared as text. */
import { systemClock, within } from "svc/platform/clock.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import type { Cluster } from "tests/kit/postgres.ts";
import { type Cut, tcpProxy } from "tests/kit/tcp_proxy.ts";
import { exists, until } from "tests/kit/until.ts";
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
import { migrated } from "tests/fault/server_place.ts";
import type { ChaosOrder } from "./engine_program.ts";

export interface Ended {
  readonly code: number;
  readonly signal: string | null;
  readonly stdout: string;
}

interface Running {
  readonly child: Deno.ChildProcess;
  readonly ended: Promise<Ended>;
}

/** From Debian's package libfaketime; undefined where it is absent. */
export const FAKETIME = ["x86_64", "aarch64"]
  .map((arch) => `/usr/lib/${arch}-linux-gnu/faketime/libfaketimeMT.so.1`).find(exists);

/** The time of day alone: what lasts is measured by a clock that nobody sets. */
const clockEnv = (clock: string) => ({
  LD_PRELOAD: FAKETIME!,
  FAKETIME: clock,
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
});

function begun(order: ChaosOrder, clock?: string): Running {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-all", "--no-check", "--quiet"],
      new URL("engine_program.ts", import.meta.url).href,
      JSON.stringify(order),
    ],
    ...(clock !== undefined && { env: clockEnv(clock) }),
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const ended = child.output().then(({ code, signal, stdout }) => ({
    ...{ code, signal, stdout: new TextDecoder().decode(stdout) },
  }));
  return { child, ended };
}

/** Waits until it stands still or has ended. */
async function stalled({ child, ended }: Running): Promise<void> {
  let over = false;
  ended.then(() => over = true);
  const still = () => / T /.test(Deno.readTextFileSync(`/proc/${child.pid}/stat`));
  await until(() => over || still(), () => "a process that runs");
}

/** Lets it go on when the other one has done all, or waits for what it holds. */
async function released({ child, ended }: Running, other: Promise<unknown>): Promise<Ended> {
  await within(systemClock, STALL_MS, other);
  try {
    child.kill("SIGCONT");
  } catch {
    // it had ended before it came to that step
  }
  return await ended;
}

/** Longer than the server waits for a transaction whose process stands still. */
const STALL_MS = 15_000;

/** So that a lease ends while a test waits. */
const STALL_TIMES = { leaseMs: 1500, heartbeatMs: 300, watchMs: 200, settleMs: 100 };

export interface How extends Pick<ChaosOrder, "dieAt" | "dieAfterMs" | "stallAt" | "named"> {
  /** Ends the connection of a statement; on a server alone. */
  readonly cut?: Cut;
  /** What libfaketime makes of its clock, such as "+1h"; another process follows whose clock is right. */
  readonly clock?: string;
}

export interface Chaos extends AsyncDisposable {
  /** A repo with one ticket, killed as ordered, then carried to its end. */
  run(how: How): Promise<Outcome>;
}

export interface Outcome {
  /** The first process was killed. */
  readonly killed: boolean;
  readonly stdout: string;
  /** Sent to a server by way of the proxy. */
  readonly statements: number;
  /** From the start of the second process to its first claim; undefined when nothing was left to do. */
  readonly claimedMs?: number;
  /** Everything that must be the same however often somebody was killed. */
  readonly state: string;
}

export interface ChaosPlan {
  /** "slow": with an attempt that fails its check, and a change that is sent back. */
  readonly team?: "quick" | "slow";
  /** Keeps the jobs, instead of a file. */
  readonly server?: Cluster;
}

export async function chaos({ team = "quick", server }: ChaosPlan = {}): Promise<Chaos> {
  await using held = new AsyncDisposableStack();
  const endpoint = held.use(modelEndpoint(team === "slow" ? SLOW_TEAM : TEAM));
  const template = held.use(await harnessedRepo());
  const newDatabase = server && await migrated(server);
  const parts = held.move();
  return {
    async run({ cut, clock, ...how }) {
      await using base = await tempFolder("svc-chaos-");
      const repo = `${base.path}/repo`;
      await new Deno.Command("cp", { args: ["-a", template.path, repo] }).output();
      const login = await newDatabase?.();
      const database = login?.shown;
      {
        await using ports = await enginePorts(base.path, { ...(database && { database }) });
        const id = await registered(ports, repo);
        await ticketed(ports, repo);
        await queued(ports, id, "orchestrator");
      }
      await using proxy = login && tcpProxy(login.port);
      if (cut !== undefined) proxy!.cut(cut);
      const order = {
        ...{ base: base.path, endpoint: endpoint.url },
        ...(database && { database }),
        ...(how.stallAt !== undefined && { times: STALL_TIMES }),
      };
      const through = login && proxy ? { database: proxy.login(login).shown } : {};
      const one = begun({ ...order, ...through, ...how }, clock);
      if (how.stallAt !== undefined) await stalled(one);
      const other = how.stallAt === undefined ? undefined : begun(order).ended;
      const first = other === undefined ? await one.ended : await released(one, other);
      const killed = first.signal === "SIGKILL";
      if (!killed && first.code !== 0) throw new Error(`the engine ended with ${first.code}`);
      const next = await (killed ? begun(order).ended : other);
      if (next !== undefined && next.code !== 0) {
        throw new Error(`the next engine ended with ${next.code}`);
      }
      const claimed = /^first claim (\d+)$/m.exec(next?.stdout ?? "")?.[1];
      return {
        ...{ killed, stdout: first.stdout, statements: proxy?.statements ?? 0 },
        state: await stateOf(base.path, repo, database),
        ...(claimed !== undefined && { claimedMs: Number(claimed) }),
      };
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function stateOf(base: string, repo: string, database?: string): Promise<string> {
  await using ports = await enginePorts(base, { ...(database && { database }) });
  // Ids hold the time of the process that gave them, whose clock may be wrong.
  const jobs = await ports.db.selectFrom("jobs").selectAll().orderBy("started_at").orderBy("id")
    .execute();
  const settled = await ports.db.selectFrom("settlements").selectAll().orderBy("settled_at")
    .orderBy("ticket_id").orderBy("from_state", "desc").execute();
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
      // The name of a check's output has the job's id and the time.
      .map((line) => line.replaceAll(/\d{4}-\S+Z|\boutputs\/\S+\.log|\b[0-9a-f]{7,40}\b/g, "…")),
    await git("log", "--first-parent", "--format=%s", "main"),
    await git("log", "--format=%s", "main^{/merge}^2", "--not", "main^{/merge}^1"),
    await git("branch", "--format=%(refname)"),
    `worktrees ${worktrees.split("\n\n").length}`,
    await git("status", "--porcelain"),
    await git("fsck", "--no-dangling"),
  ].join("\n");
}
