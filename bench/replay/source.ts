/** Fetches a project before and after a fix: npm tarballs, or a Debian source package and its patches. */
import type { DebianSource, NpmSource, ReplayCase } from "./case.ts";

/** Both are folders. */
export interface Versions {
  readonly before: string;
  readonly after: string;
}

/** @throws Error with the end of what the program said, when it fails */
export async function run(
  cwd: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { ok, text } = await tried(cwd, words, env);
  if (ok) return text;
  throw new Error(`${words.join(" ")} failed: ${text.slice(-600).trim()}`);
}

/** Both outputs, as they came last. */
export async function tried(
  cwd: string,
  [program, ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const { success, stdout, stderr } = await new Deno.Command(program!, { args, cwd, env })
    .output();
  const decoder = new TextDecoder();
  return { ok: success, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

export async function unpackedNpm(at: string, spec: string, folder: string): Promise<void> {
  const packed = `${at}/packed`;
  await Deno.mkdir(packed, { recursive: true });
  await Deno.mkdir(folder, { recursive: true });
  const said = await run(at, ["npm", "pack", "--silent", "--pack-destination", packed, spec]);
  const tarball = `${packed}/${said.trim().split("\n").at(-1)}`;
  await run(at, ["tar", "-xzf", tarball, "-C", folder, "--strip-components=1"]);
}

async function npmVersions(at: string, { npm, from, to }: NpmSource): Promise<Versions> {
  const versions = { before: `${at}/before`, after: `${at}/after` };
  await unpackedNpm(at, `${npm}@${from}`, versions.before);
  await unpackedNpm(at, `${npm}@${to}`, versions.after);
  return versions;
}

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const ARCHIVES = ["debian bookworm", "debian-security bookworm-security"];

/** apt with sources and lists of its own: the machine's stay as they are. */
export async function aptOptions(at: string, archives: readonly string[]): Promise<string[]> {
  await Deno.mkdir(`${at}/lists/partial`, { recursive: true });
  await Deno.mkdir(`${at}/cache/archives/partial`, { recursive: true });
  const lines = archives.map((one) => {
    const [path, suite] = one.split(" ");
    return `deb-src [signed-by=${KEYRING}] http://deb.debian.org/${path} ${suite} main\n`;
  });
  await Deno.writeTextFile(`${at}/sources.list`, lines.join(""));
  return [
    `Dir::Etc::sourcelist=${at}/sources.list`,
    "Dir::Etc::sourceparts=-",
    `Dir::State::lists=${at}/lists`,
    `Dir::Cache=${at}/cache`,
    // Its user `_apt` may not write into a folder of another's.
    "APT::Sandbox::User=root",
  ].flatMap((option) => ["-o", option]);
}

/** The lists of an archive are read once for all cases. */
let lists: Promise<string[]> | undefined;

async function updated(shared: string): Promise<string[]> {
  const options = await aptOptions(`${shared}/apt`, ARCHIVES);
  await run(shared, ["apt-get", ...options, "update"]);
  return options;
}

async function debianVersions(
  at: string,
  shared: string,
  { debian, patch }: DebianSource,
): Promise<Versions> {
  const options = await (lists ??= updated(shared));
  await run(at, ["apt-get", ...options, "source", "--download-only", debian]);
  const [dsc] = [...Deno.readDirSync(at)].filter(({ name }) => name.endsWith(".dsc"));
  const before = `${at}/before`;
  await run(at, ["dpkg-source", "--skip-patches", "-x", dsc!.name, before]);
  const patches = `${before}/debian/patches`;
  const series = (await Deno.readTextFile(`${patches}/series`)).split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (!series.includes(patch)) throw new Error(`${debian} has no patch ${patch}: ${series}`);
  const apply = (name: string, folder: string) =>
    run(folder, ["patch", "--strip=1", "--silent", "--no-backup-if-mismatch", "--input", name]);
  for (const one of series.slice(0, series.indexOf(patch))) {
    await apply(`${patches}/${one}`, before);
  }
  const after = `${at}/after`;
  await run(at, ["cp", "--archive", before, after]);
  await apply(`${patches}/${patch}`, after);
  for (const folder of [before, after]) {
    await Deno.remove(`${folder}/debian`, { recursive: true });
  }
  return { before, after };
}

async function withCrlf(folder: string): Promise<void> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) await withCrlf(path);
    if (!isFile) continue;
    const bytes = await Deno.readFile(path);
    if (bytes.includes(0)) continue;
    const text = new TextDecoder("latin1").decode(bytes).replace(/\r?\n/g, "\r\n");
    await Deno.writeFile(path, Uint8Array.from(text, (char) => char.charCodeAt(0)));
  }
}

/**
 * @param at an empty folder
 * @param shared a folder for what serves all cases
 */
export async function fetched(at: string, shared: string, one: ReplayCase): Promise<Versions> {
  const { source } = one;
  const versions = "npm" in source
    ? await npmVersions(at, source)
    : await debianVersions(at, shared, source);
  for (const folder of Object.values(versions)) {
    for (const path of one.dropped ?? []) {
      await Deno.remove(`${folder}/${path}`, { recursive: true });
    }
    if (one.crlf) await withCrlf(folder);
  }
  return versions;
}
