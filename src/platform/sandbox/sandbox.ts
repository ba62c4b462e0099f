/** Runs a job's programs in bubblewrap: opened once for a process, and tried before anything counts on it. */
import type { ExecutionLimits, ExecutionRules, NetworkReach } from "svc/core/execution.ts";
import { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Ended, Run } from "svc/platform/process/child.ts";
import { bubblewrapArgs, FILTER_FD, SANDBOX_NAME } from "./bubblewrap_line.ts";
import { type SandboxPlaces, sandboxPlaces, type SandboxUser, within } from "./places.ts";
import { refusedCalls } from "./refused_calls.ts";
import { whyNoSandbox } from "./why_none.ts";

/** No other place counts: a repo must not plant one. */
const BUBBLEWRAP = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/** Ms for the first program in it; a loaded machine takes some 50. */
const TRY_MS = 10_000;

/** A command line, as `Run` says it. */
type Line = Pick<Run, "args" | "env"> & { readonly program: string };

export interface Sandbox {
  readonly limits: ExecutionLimits;
  /** The same, with other limits. */
  within(limits: ExecutionLimits): Sandbox;
  /** @throws Failure `refused` for a work tree that cannot be contained */
  line(command: Run, program: string): Line;
  /** Why the program was never started; undefined where it was. */
  fault(program: string, ended: Pick<Ended, "code" | "stderr" | "stdout">): Failure | undefined;
}

export interface SandboxPorts {
  readonly files: Pick<Files, "makeFolder" | "writeAtomic">;
  /** Outside of every sandbox. */
  run(command: Run): Promise<Ended>;
}

export interface SandboxPlan {
  readonly rules: ExecutionRules;
  readonly user: SandboxUser;
  /** Holds the filters of system calls. */
  readonly folder: string;
}

function isFile(path: string): boolean {
  try {
    return Deno.lstatSync(path).isFile;
  } catch {
    return false;
  }
}

/** A folder that another process exchanged for a link since is left out. */
function isReal(path: string): boolean {
  try {
    return Deno.realPathSync(path) === path;
  } catch {
    return false;
  }
}

type Filters = Readonly<Record<NetworkReach, string>>;

/** Descriptors cannot be passed on, so a shell opens the filter. */
async function writeFilters({ files }: SandboxPorts, folder: string): Promise<Filters> {
  await files.makeFolder(folder);
  const write = async (network: NetworkReach) => {
    const path = `${folder}/${network}.bpf`;
    await files.writeAtomic(path, refusedCalls(Deno.build.arch, network));
    return path;
  };
  return {
    none: await write("none"),
    loopback: await write("loopback"),
    full: await write("full"),
  };
}

function mustFit(tree: string | undefined, { own, env }: SandboxUser): void {
  if (tree === undefined) return;
  const inner = [...own, env.HOME ?? ""].find((folder) => folder !== "" && within(folder, tree));
  if (inner === undefined) return;
  throw new Failure(
    "refused",
    `Cannot contain a program in ${quoted(tree)}: ${quoted(inner)} lies in it`,
    { remedy: "Let svc run work in a work tree of its own: svc run, or svc start" },
  );
}

class Bubblewrap implements Sandbox {
  constructor(
    private readonly bwrap: string,
    private readonly places: SandboxPlaces,
    private readonly filters: Filters,
    private readonly plan: SandboxPlan,
  ) {}

  get limits(): ExecutionLimits {
    return this.plan.rules.limits;
  }

  within(limits: ExecutionLimits): Sandbox {
    const plan = { ...this.plan, rules: { ...this.plan.rules, limits } };
    return new Bubblewrap(this.bwrap, this.places, this.filters, plan);
  }

  line({ contain, cwd, env, args }: Run, program: string): Line {
    const { rules, user } = this.plan;
    const { home, shown, caches, keyFiles, links } = this.places;
    const { step, tree } = contain!;
    mustFit(tree, user);
    const network = rules.network[step];
    const places = { ...this.places, shown: shown.filter(isReal), caches: caches.filter(isReal) };
    const sandboxed = bubblewrapArgs(
      { ...places, links: links.filter(({ to }) => isReal(to)) },
      {
        ...{ contain: contain!, network, cwd, limits: rules.limits },
        masked: keyFiles.filter(isFile),
      },
    );
    const { TMPDIR: _, ...rest } = env;
    const opened = `exec "$@" ${FILTER_FD}<"$0"`;
    return {
      program: "/bin/sh",
      args: ["-c", opened, this.filters[network], this.bwrap, ...sandboxed, program, ...args],
      env: { ...rest, HOME: home },
    };
  }

  fault(
    program: string,
    { code, stdout, stderr }: Pick<Ended, "code" | "stderr" | "stdout">,
  ): Failure | undefined {
    if (stdout.totalBytes > 0) return undefined;
    const said = capturedText(stderr).trim();
    if (said.includes("\n")) return undefined;
    if (code === 1 && said.startsWith("bwrap: ")) return whyNoSandbox(said);
    const started = code !== 126 && code !== 127 || !said.startsWith(`${SANDBOX_NAME}: `);
    if (started || !said.includes(program)) return undefined;
    return new Failure(
      "environment",
      `Cannot run "${program}": the sandbox hides it, or what it needs`,
      {
        remedy: "Name its folder in execution.toolchains of ~/.svc/config.yaml",
      },
    );
  }
}

async function tryOut(ports: SandboxPorts, sandbox: Sandbox): Promise<void> {
  const command: Run = {
    ...{ program: "/bin/true", args: [], cwd: "/", env: { PATH: "/usr/bin:/bin" } },
    contain: { step: "commands" },
  };
  const { contain: _, ...plain } = command;
  const ended = await ports.run({
    ...plain,
    ...sandbox.line(command, command.program),
    timeoutMs: TRY_MS,
  });
  if (ended.code !== 0) throw whyNoSandbox(capturedText(ended.stderr).trim());
}

/** @throws Failure `environment` where nothing can be contained: it says what is missing */
export async function openBubblewrap(ports: SandboxPorts, plan: SandboxPlan): Promise<Sandbox> {
  const bwrap = Deno.build.os === "linux" ? BUBBLEWRAP.find(isFile) : undefined;
  if (bwrap === undefined) throw whyNoSandbox(undefined);
  const places = await sandboxPlaces(plan.rules, plan.user);
  const filters = await writeFilters(ports, plan.folder);
  const sandbox = new Bubblewrap(bwrap, places, filters, plan);
  await tryOut(ports, sandbox);
  return sandbox;
}
