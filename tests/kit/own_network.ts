/** A terminal in a network of its own, where a test may take the ports that people's model servers have. */
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";
import { denoDir, repoRoot, svcCommand } from "./script.ts";
import type { TempFolder, TempRepo } from "./temp_repo.ts";

interface NetworkPlan {
  readonly home: TempFolder;
  readonly repo: TempRepo;
  /** Lines of sh; `svc` in them is the program. */
  readonly lines: readonly string[];
  readonly servers: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Bubblewrap makes the network and turns its loopback on; files and processes stay as they are. */
const NETWORK = ["bwrap", "--unshare-user", "--unshare-net", "--dev-bind", "/", "/"];

/** Ends with "all over". `HOME` is empty, and no variable of the caller but PATH goes in. */
export async function onOwnNetwork(plan: NetworkPlan): Promise<PseudoTerminal> {
  const { home, repo, lines, servers, env = {} } = plan;
  const svc = svcCommand().map((word) => `'${word}'`).join(" ");
  const script = `svc() { ${svc} "$@"; }\n${lines.join("\n")}\necho all over\n`;
  const path = `${home.path}/run.sh`;
  await home.write("run.sh", script);
  const program = [Deno.execPath(), "run", "-A", "--quiet", "tests/kit/usual_ports_program.ts"];
  const line = [
    ...[...NETWORK, "--chdir", repoRoot, ...program],
    ...[path, ...servers],
  ].map((word) => `'${word}'`).join(" ");
  return new PseudoTerminal({
    line,
    cwd: repo.path,
    env: {
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      HOME: `${home.path}/empty`,
      DENO_DIR: denoDir(),
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      REPO: repo.path,
      ...env,
    },
  });
}
