/**
 * Compares what two builds of svc find, byte for byte: `svc guardrails secret-scan --json` and `svc scan --json` on
 * thirty npm packages (bench/secret_tree.ts), and prints where they differ first.
 *
 *   deno run -A --no-lock bench/secret_same.ts OLD NEW
 */
import { installPackages, OTHER_PACKAGES, PACKAGES, pathsBelow } from "./secret_tree.ts";

const [old, now] = Deno.args;
if (old === undefined || now === undefined) {
  console.error("name two builds of svc: bench/secret_same.ts OLD NEW");
  Deno.exit(2);
}
const here = decodeURIComponent(new URL(".", import.meta.url).pathname);

async function output(program: string, args: readonly string[], answers = [0]): Promise<string> {
  const env = { SVC_HOME: `${here}.cache/same-home`, GIT_CONFIG_GLOBAL: "/dev/null" };
  const command = new Deno.Command(program, { args: [...args], env, stderr: "piped" });
  const { code, stdout, stderr } = await command.output();
  if (answers.includes(code)) return new TextDecoder().decode(stdout);
  throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

/** The packages' files as a repo that tracks them all under a name that no rule leaves out. */
async function repoOf(name: string, packages: readonly string[]): Promise<string> {
  const repo = `${here}.cache/same-${name}`;
  if (await Deno.stat(`${repo}/.git/done`).then(() => true, () => false)) return repo;
  await Deno.mkdir(repo, { recursive: true });
  await output("cp", [
    "-r",
    await installPackages(`${here}.cache/${name}`, packages),
    `${repo}/lib`,
  ]);
  for (const path of pathsBelow(`${repo}/lib`)) {
    if (path.endsWith(".gitignore")) await Deno.remove(`${repo}/lib/${path}`);
  }
  await output("git", ["init", "--quiet", repo]);
  await output("git", ["-C", repo, "add", "--all"]);
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  await output("git", ["-C", repo, ...author, "commit", "--quiet", "--message", "first"]);
  await Deno.writeTextFile(`${repo}/.git/done`, "");
  return repo;
}

/** `undated` tells how far git was asked, which is no finding. */
const plain = (text: string) => text.replace(/"undated": ?\d+/, "");

for (const [name, packages] of [["packages", PACKAGES], ["others", OTHER_PACKAGES]] as const) {
  const repo = await repoOf(name, packages);
  for (const args of [["guardrails", "secret-scan", "--json"], ["scan", "--dry-run", "--json"]]) {
    const run = (svc: string) => output(svc, [...args, "--repo", repo], [0, 1]);
    const [before, after] = [plain(await run(old)), plain(await run(now))];
    const lines = before.split("\n").length;
    if (before === after) {
      console.log(`${name}: ${args.join(" ")}: the same ${before.length} bytes, ${lines} lines`);
      continue;
    }
    const at = [...before].findIndex((char, index) => char !== after[index]);
    console.log(
      `${name}: ${args.join(" ")}: differs at ${at}: ${before.slice(at - 100, at + 100)}`,
    );
    Deno.exitCode = 1;
  }
}
