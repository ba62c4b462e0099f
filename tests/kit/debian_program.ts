/**
 * Programs of another release of Debian than this machine's: fetched by apt, which checks Debian's signatures, and
 * unpacked beside the build with the libraries that they need. Nothing is installed.
 */
import { repoRoot } from "tests/kit/script.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { exists } from "tests/kit/until.ts";

/** Debian's testing release. */
const RELEASE = "forky";
/** For each of two steps; a mirror that is slower cannot be used. `make test` ends what is silent for 6 minutes. */
const MOST_SECONDS = "120";
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** @throws Error with what it said where it fails */
async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, cwd, stdin: "null" })
    .output();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** As root apt would fetch as a user of its own, who may not write here. */
function aptOptions(folder: string): string[] {
  const options = {
    "Dir::Etc::sourcelist": `${folder}/sources.list`,
    "Dir::Etc::sourceparts": "-",
    "Dir::State::lists": `${folder}/lists`,
    "Dir::State::status": `${folder}/status`,
    "Dir::Cache": `${folder}/cache`,
    "Acquire::Languages": "none",
    "APT::Sandbox::User": "root",
    "Acquire::Retries": "3",
    "Acquire::http::Timeout": "20",
  };
  return Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
}

/** Starts a program by its own loader, since this machine's C library is older than it wants. */
export const byItsLoader = (program: string, ...libraries: string[]): string =>
  `exec -a "$0" "$here/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2" --argv0 "$0" \\
  --library-path "${
    ["", ...libraries].map((below) => `$here/usr/lib/x86_64-linux-gnu${below}`).join(":")
  }" "$here/${program}" "$@"\n`;

export interface DebianProgram {
  /** Names the folder below `dist/`. */
  readonly name: string;
  readonly packages: readonly string[];
  /** By path below the folder: scripts of bash, after a line that sets `here` to the folder. */
  readonly scripts: Readonly<Record<string, string>>;
}

const scriptAt = (path: string, text: string) =>
  `#!/bin/bash\nhere=$(cd -- "$(dirname -- "$0")/${
    path.split("/").slice(1).map(() => "..").join("/")
  }" && pwd)\n${text}`;

async function fetched({ name, packages, scripts }: DebianProgram, place: string): Promise<void> {
  await using folder = await tempFolder("svc-debian-");
  const source = `deb [signed-by=${KEYRING}] http://deb.debian.org/debian ${RELEASE} main\n`;
  await Deno.writeTextFile(`${folder.path}/sources.list`, source);
  await Deno.writeTextFile(`${folder.path}/status`, "");
  for (const name of ["lists/partial", "cache/archives/partial", "root"]) {
    await Deno.mkdir(`${folder.path}/${name}`, { recursive: true });
  }
  const options = aptOptions(folder.path);
  const apt = ["timeout", MOST_SECONDS, "apt-get", ...options, "--quiet=2"] as const;
  await run(folder.path, ...apt, "update");
  await run(folder.path, ...apt, "download", ...packages);
  for await (const { name } of Deno.readDir(folder.path)) {
    if (name.endsWith(".deb")) await run(folder.path, "dpkg-deb", "-x", name, "root");
  }
  for (const [path, text] of Object.entries(scripts)) {
    const at = `${folder.path}/root/${path}`;
    await Deno.mkdir(at.slice(0, at.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(at, scriptAt(path, text), { mode: 0o755 });
  }
  await Deno.mkdir(`${repoRoot}dist`, { recursive: true });
  // Whole under its name or not there, be it that this ends midway or that two do it at once.
  const ready = await Deno.makeTempDir({ dir: `${repoRoot}dist`, prefix: `${name}-` });
  await run(folder.path, "cp", "-r", "root/.", ready);
  await Deno.rename(ready, place).catch(() => Deno.remove(ready, { recursive: true }));
}

/** The folder; undefined, and said so, where it cannot be fetched or its first script does not start. */
export async function debianProgram(program: DebianProgram): Promise<string | undefined> {
  const place = `${repoRoot}dist/${program.name}`;
  try {
    if (Deno.build.arch !== "x86_64") throw new Error(`it is fetched for x86_64 alone`);
    if (!exists(place)) await fetched(program, place);
    await run("/", `${place}/${Object.keys(program.scripts)[0]}`, "--version");
    return place;
  } catch (thrown) {
    console.warn(`${program.name} cannot be used here, so that its tests are skipped: ${thrown}`);
    return undefined;
  }
}
