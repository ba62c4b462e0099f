/** A terminal in a network of its own, where a test may take the ports and names of people's model servers. */
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";
import { denoDir, repoRoot, svcCommand } from "./script.ts";
import type { TempFolder, TempRepo } from "./temp_repo.ts";

interface NetworkPlan {
  /** For the script and what else lies beside it; the user's home is an empty folder in it. */
  readonly folder: TempFolder;
  readonly repo: TempRepo;
  /** Lines of sh; `svc` in them is the program, `$REPO` the repo. */
  readonly lines: readonly string[];
  /** As `usual_ports_program.ts` has them. */
  readonly servers: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Bubblewrap makes the network and turns its loopback on; files and processes stay as they are. */
const NETWORK = ["bwrap", "--unshare-user", "--unshare-net", "--dev-bind", "/", "/"];

const quote = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");

async function openssl(...args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("openssl", { args: [...args] }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** @returns a file of names that leads api.openai.com here; its certificate is one that `DENO_CERT` trusts */
async function openaiAt(folder: TempFolder): Promise<string> {
  const at = (name: string) => `${folder.path}/${name}`;
  const name = "api.openai.com";
  await openssl(
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${name}`],
    ...["-addext", `subjectAltName=DNS:${name}`, "-addext", "basicConstraints=critical,CA:FALSE"],
    ...["-keyout", at("openai.key"), "-out", at("openai.crt")],
  );
  await folder.write("hosts", `127.0.0.1 localhost\n127.0.0.1 ${name}\n`);
  return at("hosts");
}

/** Prints "all over" at its end. No variable of the caller but PATH goes in. */
export async function onOwnNetwork(plan: NetworkPlan): Promise<PseudoTerminal> {
  const { folder, repo, lines, servers, env = {} } = plan;
  const hosts = servers.includes("openai")
    ? ["--ro-bind", await openaiAt(folder), "/etc/hosts"]
    : [];
  const body = ['trap "" INT', `svc() { ${quote(svcCommand())} "$@"; }`, 'cd "$REPO"', ...lines];
  await folder.write("run.sh", `${body.join("\n")}\necho all over\n`);
  await Deno.mkdir(`${folder.path}/home`);
  const program = [Deno.execPath(), "run", "-A", "--quiet", "tests/kit/usual_ports_program.ts"];
  // Ctrl-C is meant for svc, which listens to it all the same, and not for what it runs in.
  const line = quote([
    ...["sh", "-c", `trap "" INT; "$@"; exit`, "sh"],
    ...[...NETWORK, ...hosts, "--chdir", repoRoot],
    ...[...program, `${folder.path}/run.sh`, ...servers],
  ]);
  return new PseudoTerminal({
    line,
    cwd: repo.path,
    env: {
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      HOME: `${folder.path}/home`,
      DENO_DIR: denoDir(),
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      REPO: repo.path,
      ...(servers.includes("openai") && { DENO_CERT: `${folder.path}/openai.crt` }),
      ...env,
    },
  });
}
