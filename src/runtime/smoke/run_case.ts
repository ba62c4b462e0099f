/** Runs one smoke test: makes its repo, starts `svc run` on it as a person would, and judges the outcome. */
import type { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { oneLine } from "svc/core/plain_text.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import type { MadeRepo } from "svc/platform/git/made_repo.ts";
import { ownProgram } from "svc/platform/process/own_program.ts";
import type { PreparationPorts } from "svc/runtime/ports.ts";
import type { RunReport } from "svc/runtime/run/report_shape.ts";
import type { SmokeCase } from "./cases.ts";
import type { SmokeOutcome } from "./report.ts";
import { makeTarget } from "./target.ts";

export type SmokePorts = PreparationPorts & Pick<Entrance, "runtime" | "url">;

export interface SmokeSite {
  /** A folder of this run's own. */
  readonly folder: string;
  readonly harness: Readonly<Record<string, string>>;
  readonly profile: "observer" | "host";
  readonly modelEndpoint: string | undefined;
  /** Variables with keys that the repo keeps. */
  readonly keys: Readonly<Record<string, string>>;
  tell(text: string): void;
}

type ShownRun = RunReport & { readonly next: string };

type Ran = ShownRun | {
  readonly ok: false;
  readonly error: Pick<Failure, "message"> & { readonly remediation: string };
};

/** Nothing of svc's own is handed on: the run has a home, a database and traces of its own. */
function childEnv({ env }: SmokePorts, { folder, keys }: SmokeSite): Record<string, string> {
  const others = Object.entries(env.all()).filter(([name]) => !name.startsWith("SVC_"));
  return { ...Object.fromEntries(others), ...keys, SVC_HOME: `${folder}/home` };
}

const HOST = ["--execution-profile", "host", "--acknowledge-host-execution"];

function words(role: string, root: string, smoke: SmokeCase, site: SmokeSite): string[] {
  const ticket = smoke.tickets?.[0]?.id;
  // A role that chooses among tickets has none of its own.
  const own = smoke.id === "choose" ? undefined : ticket;
  return [
    ...["run", role, "--repo", root, "--json"],
    ...(site.profile === "host" ? HOST : []),
    ...(site.modelEndpoint === undefined ? [] : ["--model-endpoint", site.modelEndpoint]),
    ...(own === undefined ? [] : ["--ticket", own]),
    ...(smoke.task === undefined ? [] : ["--task", smoke.task]),
  ];
}

/** Its standard input is empty, and only its own limits bound its time. */
const NO_INPUT = { read: () => Promise.resolve(undefined) };

async function started(
  ports: SmokePorts,
  args: readonly string[],
  root: string,
  site: SmokeSite,
): Promise<{ readonly ran: Ran | undefined; readonly said: string }> {
  const own = ownProgram(ports);
  const decoder = new TextDecoder();
  const { stdout, stderr } = await ports.processes.run({
    program: own.program,
    args: [...own.args, ...args],
    cwd: root,
    env: childEnv(ports, site),
    input: NO_INPUT,
    signal: ports.signal,
    onOutput(chunk, stream) {
      if (stream === "stdout") return;
      const line = decoder.decode(chunk, { stream: true }).trimEnd().split("\n").at(-1)!;
      if (line !== "") site.tell(oneLine(line));
    },
  });
  ports.signal.throwIfAborted();
  const said = capturedText(stderr).trim().split("\n").at(-1) ?? "";
  try {
    return { ran: JSON.parse(capturedText(stdout)), said };
  } catch {
    return { ran: undefined, said }; // it ended before it could answer
  }
}

type Answer =
  | { readonly report: ShownRun }
  /** No model was asked, so there is no verdict on the role. */
  | { readonly lost: Pick<SmokeOutcome, "remedy" | "why"> };

function answerOf(ran: Ran | undefined, said: string): Answer {
  if (ran === undefined) {
    return { lost: { why: `svc run ended without an answer: ${said}`, remedy: null } };
  }
  if ("error" in ran) return { lost: { why: ran.error.message, remedy: ran.error.remediation } };
  if (ran.model === null) return { lost: { why: ran.evidence, remedy: null } };
  return { report: ran };
}

const NOTHING = {
  disposition: null,
  evidence: "",
  model: null,
  checks: null,
  turns: 0,
  tool_calls: 0,
  denials: 0,
  tokens_in: 0,
  tokens_out: 0,
};

async function ticketTitles(ports: SmokePorts, { root }: MadeRepo): Promise<string[]> {
  using repo = await new RepoOpener(ports).openAt(root, { signal: ports.signal });
  return (await repo.tickets.list()).tickets.map(({ title }) => title);
}

/** @throws the reason of `ports.signal` */
export async function runCase(
  ports: SmokePorts,
  site: SmokeSite,
  { role, smoke }: { readonly role: string; readonly smoke: SmokeCase },
): Promise<SmokeOutcome> {
  const { clock, env, files, processes, signal } = ports;
  const began = clock.monotonic();
  const path = env.get("PATH") ?? "/usr/local/bin:/usr/bin:/bin";
  const target = await makeTarget({ files, processes, path, signal }, smoke, {
    root: `${site.folder}/targets/${role}-${smoke.id}`,
    ...{ role, harness: site.harness, now: clock.now() },
  });
  const before = await ticketTitles(ports, target);
  const line = words(role, target.root, smoke, site);
  const { ran, said } = await started(ports, line, target.root, site);
  const about = { id: smoke.id, wanted: smoke.wanted };
  const ms = Math.round(clock.monotonic() - began);
  const answer = answerOf(ran, said);
  if ("lost" in answer) return { ...about, ...NOTHING, ...answer.lost, status: "not_run", ms };
  const { report } = answer;
  const { disposition, evidence, model, checks, turns, tool_calls, denials } = report;
  const branch = report.branch ?? "main";
  const why = await smoke.judge({
    report,
    newTickets: (await ticketTitles(ports, target)).filter((title) => !before.includes(title)),
    file: (path) => target.show(branch, path),
  });
  return {
    ...about,
    status: why === undefined ? "passed" : "failed",
    why: why ?? null,
    remedy: null,
    ...{ disposition, evidence, model, checks, turns, tool_calls, denials },
    tokens_in: report.tokens_in,
    tokens_out: report.tokens_out,
    ms,
  };
}
