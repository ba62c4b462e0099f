/** Makes a git repo of each history: versions of npm or Debian, patches of Debian, or svc's own commits. */
import { aptOptions, run } from "bench/replay/source.ts";
import type { DebianHistory, HistorySource, NpmHistory } from "./histories.ts";

/** Newest versions that are fetched. */
const VERSIONS = 40;
const WORDS = 400;

/** Each version changes them, by its number or its entry. */
const BOOKKEEPING =
  /^(?:(?:changelog|changes|history|news|release_?notes)(?:\.\w+)?|package-lock\.json|npm-shrinkwrap\.json|\.github\/.*|debian\/.*|\.pc\/.*)$/i;

const ENV = {
  ...{ GIT_CONFIG_GLOBAL: "/dev/null", GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "a@example.org" },
  ...{ GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "a@example.org", LC_ALL: "C" },
};

/** A work tree whose content is replaced as a whole, or patched, before each commit. */
class History {
  #commits = 0;

  constructor(readonly root: string, readonly dropped: RegExp | undefined) {}

  async git(...args: string[]): Promise<string> {
    const date = `${1_600_000_000 + this.#commits * 3600} +0000`;
    const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    return await run(this.root, ["git", ...args], { ...ENV, ...dates });
  }

  async clear(): Promise<void> {
    for await (const { name } of Deno.readDir(this.root)) {
      if (name !== ".git") await Deno.remove(`${this.root}/${name}`, { recursive: true });
    }
  }

  async commit(words: string): Promise<void> {
    for (const path of await this.#dropped()) await Deno.remove(`${this.root}/${path}`);
    await withoutVersion(`${this.root}/package.json`);
    await this.git("add", "--all", "--force");
    const quiet = ["-c", "commit.gpgsign=false", "commit", "--quiet", "--allow-empty"];
    await this.git(...quiet, "--message", words.trim() || "release");
    this.#commits++;
  }

  async #dropped(): Promise<string[]> {
    const listed = await this.git("ls-files", "-z", "--cached", "--others");
    return [...new Set(listed.split("\0"))].filter((path) =>
      path !== "" && (BOOKKEEPING.test(path) || this.dropped?.test(path) === true)
    ).filter((path) => there(`${this.root}/${path}`));
  }
}

function there(path: string): boolean {
  try {
    return Deno.lstatSync(path).isFile;
  } catch {
    return false;
  }
}

async function withoutVersion(path: string): Promise<void> {
  if (!there(path)) return;
  const { version: _, gitHead: __, ...rest } = JSON.parse(await Deno.readTextFile(path));
  const kept = Object.entries(rest).filter(([key]) => !key.startsWith("_"));
  await Deno.writeTextFile(path, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
}

const numbersOf = (version: string) => version.split(/[.-]/).map(Number);

/** What a changelog says of a version, in one line without links; "" when it says nothing. */
export function entryOf(log: string, version: string): string {
  const lines = log.split("\n");
  const heading = new RegExp(`(?:^|[^\\d.])${version.replaceAll(".", "\\.")}(?![\\d.]*\\d)`);
  const isHeading = (at: number) =>
    /^#+ |^(?:\*\*)?v?\d+\.\d+/.test(lines[at]!) ||
    /^(?:={3,}|-{3,})\s*$/.test(lines[at + 1] ?? "");
  const start = lines.findIndex((line, at) => isHeading(at) && heading.test(line));
  if (start === -1) return "";
  const [level = ""] = /^#+/.exec(lines[start]!) ?? [];
  const ends = (at: number) =>
    /\d+\.\d+/.test(lines[at]!) && isHeading(at) && (/^#+/.exec(lines[at]!)?.[0] ?? level).length <=
      Math.max(level.length, 2);
  let end = start + 1;
  while (end < lines.length && !ends(end)) end++;
  return lines.slice(start + 1, end).filter((line) => !/^#|^[=-]{3,}\s*$/.test(line)).join(" ")
    .replaceAll(/\]\([^)]*\)|https?:\/\/\S+|\(?#\d+\)?|@[\w-]+|\b[0-9a-f]{7,40}\b|\[|\]/g, " ")
    .replaceAll(/\s+/g, " ").trim().slice(0, WORDS);
}

async function changelogIn(folder: string): Promise<string> {
  for (
    const { name, isFile } of [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1)
  ) {
    if (isFile && /^(?:changelog|changes|history|news)(?:\.(?:md|txt|markdown))?$/i.test(name)) {
      return await Deno.readTextFile(`${folder}/${name}`);
    }
  }
  return "";
}

async function npmHistory(at: string, history: History, { npm, upTo }: NpmHistory): Promise<void> {
  // npm may warn after its answer.
  const said = await run(at, ["npm", "view", npm, "versions", "--json"]);
  const listed: string[] = JSON.parse(said.slice(said.indexOf("["), said.lastIndexOf("]") + 1));
  const versions = listed.filter((version) => /^\d+\.\d+\.\d+$/.test(version))
    .sort((a, b) => {
      const [one, other] = [numbersOf(a), numbersOf(b)];
      return one[0]! - other[0]! || one[1]! - other[1]! || one[2]! - other[2]!;
    })
    .filter((version) => upTo === undefined || numbersOf(version)[0]! <= upTo).slice(-VERSIONS);
  const specs = versions.map((version) => `${npm}@${version}`);
  await run(at, ["npm", "pack", "--silent", "--pack-destination", at, ...specs]);
  // The newest changelog tells of all versions; some packages ship none in between.
  const newest = await Deno.makeTempDir({ dir: at });
  const tarball = (version: string) => `${at}/${npm}-${version}.tgz`;
  const untar = (version: string, folder: string) =>
    run(at, [
      ...["tar", "-xzf", tarball(version), "--warning=no-unknown-keyword"],
      ...["-C", folder, "--strip-components=1", "--no-same-permissions"],
    ]);
  await untar(versions.at(-1)!, newest);
  let log = await changelogIn(newest);
  for (const version of versions) {
    await history.clear();
    await untar(version, history.root);
    const own = await changelogIn(history.root);
    if (own.length > log.length) log = own;
    await history.commit(entryOf(own, version) || entryOf(log, version));
  }
}

/** A patch's subject (DEP-3, dep-team.pages.debian.net/deps/dep3), else its file's name. */
export function subjectOf(patch: string, name: string): string {
  const head = patch.split(/^(?:---|diff |Index: )/m)[0]!;
  const said = /^(?:Subject|Description):[ \t]*(.*(?:\n[ \t]+\S.*)?)/mi.exec(head)?.[1] ??
    name.replace(/\.(?:patch|diff)$/, "").replaceAll(/[-_/]/g, " ");
  return said.replace(/^\[[^\]]*\]\s*/, "").replaceAll(/\s+/g, " ").trim().slice(0, WORDS);
}

async function patches(folder: string): Promise<{ file: string; words: string }[]> {
  if (!there(`${folder}/series`)) return [];
  const series = (await Deno.readTextFile(`${folder}/series`)).split("\n")
    .map((line) => line.trim().split(/\s/)[0]!).filter((line) =>
      line !== "" && !line.startsWith("#")
    );
  return await Promise.all(series.map(async (name) => {
    const file = `${folder}/${name}`;
    const text = new TextDecoder("latin1").decode(await Deno.readFile(file));
    return { file, words: subjectOf(text, name) };
  }));
}

/** apt keeps one list for all histories. */
let lists: Promise<string[]> | undefined;

async function aptLists(shared: string): Promise<string[]> {
  const archives = ["bookworm", "trixie", "sid"].map((suite) => `debian ${suite}`);
  const options = await aptOptions(`${shared}/apt`, archives);
  await run(shared, ["apt-get", ...options, "update"]);
  return options;
}

async function debianHistory(
  at: string,
  shared: string,
  history: History,
  { debian, suites }: DebianHistory,
): Promise<void> {
  const options = await (lists ??= aptLists(shared));
  for (const suite of suites) {
    const folder = `${at}/${suite}`;
    await Deno.mkdir(folder);
    await run(folder, ["apt-get", ...options, "source", "--download-only", `${debian}/${suite}`]);
    const { name: dsc } = [...Deno.readDirSync(folder)].find(({ name }) => name.endsWith(".dsc"))!;
    await run(folder, ["dpkg-source", "--no-check", "--skip-patches", "-x", dsc, "tree"]);
    const tree = `${folder}/tree`;
    const log = await changelogIn(tree);
    const version = /_(?:\d+:)?([\d.]+)/.exec(dsc)?.[1] ?? "";
    const fixes = await patches(`${tree}/debian/patches`);
    await history.clear();
    await run(folder, ["cp", "--archive", `${tree}/.`, history.root]);
    await history.commit(entryOf(log, version));
    for (const { file, words } of fixes) {
      const apply = ["patch", "--strip=1", "--silent", "--no-backup-if-mismatch", "--input", file];
      await run(history.root, apply);
      await history.commit(words);
    }
  }
}

const OWN = decodeURIComponent(new URL("../../", import.meta.url).pathname);

/** Gives the folder of the repo; what an earlier run has fetched is used again. */
export async function fetched(cache: string, source: HistorySource): Promise<string> {
  const root = `${cache}/${source.name}`;
  if ("own" in source) {
    await Deno.remove(root, { recursive: true }).catch(() => undefined);
    await run(cache, ["git", "clone", "--quiet", "--no-hardlinks", OWN, root]);
    await run(root, ["git", "checkout", "--quiet", "-B", "main"]);
    return root;
  }
  if (there(`${root}/.git/fetched`)) return root;
  await Deno.remove(root, { recursive: true }).catch(() => undefined);
  await Deno.mkdir(root, { recursive: true });
  const at = await Deno.makeTempDir({ prefix: "svc-history-" });
  try {
    const history = new History(root, source.dropped);
    await history.git("init", "--quiet", "--initial-branch", "main");
    if ("npm" in source) await npmHistory(at, history, source);
    else await debianHistory(at, cache, history, source);
    await Deno.writeTextFile(`${root}/.git/fetched`, "");
    return root;
  } finally {
    await Deno.remove(at, { recursive: true });
  }
}
