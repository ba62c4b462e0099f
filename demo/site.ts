/** The folder a demo works in: a sample repo, or a clone of the user's, and a svc home of its own. */

export interface Site {
  /** Holds all of it. */
  readonly folder: string;
  readonly repo: string;
  readonly home: string;
  /** Sample: the demo's own project. */
  readonly sample: boolean;
}

const SAMPLE = new URL("./sample/", import.meta.url);

async function copyTree(from: URL, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyTree(new URL(`${name}/`, from), `${to}/${name}`);
    else await Deno.copyFile(new URL(name, from), `${to}/${name}`);
  }
}

/** @throws Error with what git said */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("git", { args, cwd }).output();
  if (!success) throw new Error(`git ${args[0]}: ${new TextDecoder().decode(stderr).trim()}`);
  return new TextDecoder().decode(stdout);
}

async function sampleRepo(repo: string): Promise<void> {
  await copyTree(SAMPLE, repo);
  await git(repo, "init", "--quiet", "--initial-branch=main");
  await git(repo, "config", "user.name", "Demo");
  await git(repo, "config", "user.email", "demo@example.invalid");
  await git(repo, "add", "--all");
  await git(repo, "commit", "--quiet", "--message", "feat: mean and median");
}

/** @param own a repo of the user's; it is cloned, and never written to */
export async function demoSite(own: string | undefined): Promise<Site> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-demo-" }));
  const name = own?.replace(/\/+$/, "").split("/").at(-1) ?? "tally";
  const site = { folder, repo: `${folder}/${name}`, home: `${folder}/home` };
  if (own === undefined) await sampleRepo(site.repo);
  else await git(folder, "clone", "--quiet", "--no-hardlinks", "--", own, site.repo);
  return { ...site, sample: own === undefined };
}

/** All that the demo made: its repo or clone, and the svc home. */
export async function removeSite({ folder }: Site): Promise<void> {
  // Programs may have made folders that nobody may write, as package managers do for their caches.
  await new Deno.Command("chmod", { args: ["-R", "u+rwX", folder] }).output();
  await Deno.remove(folder, { recursive: true });
}
