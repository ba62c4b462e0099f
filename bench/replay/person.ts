/** A person's checkout of a project: its history, what was installed into it, and files git ignores. */
import type { ReplayCase } from "./case.ts";
import { run, tried, unpackedNpm, type Versions } from "./source.ts";

/** The home is new; only the caches of package managers are shared with other cases. */
export interface Person {
  readonly home: string;
  readonly checkout: string;
  readonly env: Readonly<Record<string, string>>;
}

const IGNORED = "node_modules/\n.env\n__pycache__/\n.pytest_cache/\n";
/** A file that no program but the person's own knows of. */
const DOTENV = "GREETING=hello from the person\n";

async function copied(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  await run("/", ["cp", "--archive", `${from}/.`, to]);
}

async function newHome(at: string, shared: string, one: ReplayCase): Promise<Person> {
  const home = `${at}/home`;
  await Deno.mkdir(home, { recursive: true });
  const git = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n" +
    '[protocol "file"]\n\tallow = always\n';
  await Deno.writeTextFile(`${home}/.gitconfig`, git);
  await Deno.writeTextFile(`${home}/.npmrc`, `cache=${shared}/npm\nfund=false\naudit=false\n`);
  await Deno.mkdir(`${home}/.config/pnpm`, { recursive: true });
  await Deno.writeTextFile(`${home}/.config/pnpm/rc`, `store-dir=${shared}/pnpm\n`);
  let path = Deno.env.get("PATH") ?? "/usr/local/bin:/usr/bin:/bin";
  const python = await tried(at, ["sh", "-c", "python -c 'import sys; print(sys.executable)'"]);
  // A shim of pyenv finds no interpreter under a new home.
  if (python.ok) path = `${python.text.trim().replace(/\/[^/]*$/, "")}:${path}`;
  if (one.tools !== undefined && one.tools.length > 0) {
    const prefix = `${at}/tools`;
    await run(at, ["npm", "install", "--silent", "--prefix", prefix, ...one.tools]);
    path = `${prefix}/node_modules/.bin:${path}`;
  }
  const env = { PATH: path, HOME: home, USER: "ada", LANG: "C.UTF-8" };
  return { home, checkout: `${at}/${one.name}`, env };
}

/** The folder becomes a repo of its own, and the project's repo names a commit of it. */
async function asSubmodule(at: string, { checkout, env }: Person, folder: string): Promise<void> {
  const upstream = `${at}/upstream`;
  await Deno.rename(`${checkout}/${folder}`, upstream);
  const git = (cwd: string, ...args: string[]) => run(cwd, ["git", ...args], env);
  await git(upstream, "init", "--quiet");
  await git(upstream, "add", "--all");
  await git(upstream, "commit", "--quiet", "--message", "first");
  await git(checkout, "submodule", "--quiet", "add", upstream, folder);
}

export async function personWith(
  at: string,
  shared: string,
  one: ReplayCase,
  { before }: Versions,
): Promise<Person> {
  const person = await newHome(at, shared, one);
  const { checkout, env } = person;
  await copied(before, one.folder === undefined ? checkout : `${checkout}/${one.folder}`);
  if (one.beside !== undefined) {
    const { npm, version, folder } = one.beside;
    await unpackedNpm(at, `${npm}@${version}`, `${checkout}/${folder}`);
  }
  for (const [path, text] of Object.entries(one.added ?? {})) {
    await Deno.writeTextFile(`${checkout}/${path}`, text);
  }
  await Deno.writeTextFile(`${checkout}/.gitignore`, IGNORED, { append: true });
  await Deno.writeTextFile(`${checkout}/.env`, DOTENV);
  await run(checkout, ["git", "init", "--quiet"], env);
  if (one.submodule !== undefined) await asSubmodule(at, person, one.submodule);
  for (const words of one.prepare) await run(checkout, words, env);
  await run(checkout, ["git", "add", "--all"], env);
  await run(checkout, ["git", "commit", "--quiet", "--message", "the project as it was"], env);
  return person;
}

/** @throws Error when the tests of the fix pass without the fix: the case would prove nothing */
export async function mustBeRed(
  { checkout, env }: Person,
  one: ReplayCase,
  proof: readonly { readonly path: string; readonly after?: string }[],
): Promise<void> {
  for (const { path, after } of proof) {
    if (after === undefined) continue;
    const target = `${checkout}/${one.folder === undefined ? "" : `${one.folder}/`}${path}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(target, after);
  }
  const { ok } = await tried(checkout, one.test, env);
  await run(checkout, ["git", "reset", "--quiet", "--hard"], env);
  await run(checkout, ["git", "clean", "--quiet", "-d", "--force"], env);
  if (ok) throw new Error("the tests of the fix pass without it: the case proves nothing");
}

/** One digest of all that git ignores in the checkout: paths, modes and bytes. */
export async function ignoredDigest({ checkout, env }: Person): Promise<string> {
  const list = "git ls-files --others --ignored --exclude-standard -z | sort -z";
  const facts = "xargs -0 -r stat --format='%n %f %s' ";
  const bytes = "xargs -0 -r sha256sum";
  const script = `{ ${list} | ${facts}; ${list} | ${bytes}; } 2>&1 | sha256sum`;
  return await run(checkout, ["sh", "-c", script], env);
}
