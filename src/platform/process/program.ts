/** Finds the program of a name, and chooses the variables that a child process sees. */
import { withoutEnding } from "svc/core/text_ends.ts";
import { Failure } from "svc/core/failure.ts";

interface ProgramSearch {
  /** Entries that are no absolute path are skipped. */
  readonly path: string;
  /** Programs whose real path lies in one of these are refused: a repo must not plant one. */
  readonly refuseUnder: readonly string[];
}

type PartialVariables = Readonly<Record<string, string | undefined>>;

const CHILD_VARIABLES = /^(PATH|HOME|LANG|LC_[A-Z]+|TZ|TERM|TMPDIR|SVC_JOB_ID)$/;

function absoluteEntries(path: string): string[] {
  return path.split(":").filter((entry) => entry.startsWith("/"));
}

/** The allow-list: nothing else of svc's environment reaches a child; `extra` takes precedence.
 * @throws Failure `refused` for any other name in it, such as LD_PRELOAD, GIT_DIR or NODE_OPTIONS */
export function childEnv(
  env: PartialVariables,
  extra: PartialVariables = {},
): Record<string, string> {
  const strange = Object.keys(extra).find((name) => !CHILD_VARIABLES.test(name));
  if (strange !== undefined) {
    throw new Failure("refused", `Cannot set "${strange}" for a child process`, {
      remedy: "Only PATH, HOME, LANG, LC_*, TZ, TERM, TMPDIR and SVC_JOB_ID are passed on",
    });
  }
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...env, ...extra })) {
    if (value === undefined || !CHILD_VARIABLES.test(name)) continue;
    child[name] = name === "PATH" ? absoluteEntries(value).join(":") : value;
  }
  return child;
}

/** Without entries in these folders, from where nothing may be started. */
export function pathOutside(path: string, folders: readonly string[]): string {
  const refused = folders.flatMap((folder) => [folder, realOr(folder)]);
  return absoluteEntries(path)
    .filter((entry) =>
      !refused.some((folder) => isUnder(entry, folder) || isUnder(realOr(entry), folder))
    )
    .join(":");
}

/** Roots of the repos that folders of PATH lie in, for programs of the machine: svc may not know those repos. */
export function reposOn(path: string): string[] {
  const roots = absoluteEntries(path).flatMap((entry) => repoAround(realOr(entry)) ?? []);
  return [...new Set(roots)];
}

function repoAround(folder: string): string | undefined {
  const parts = folder.split("/");
  for (let length = parts.length; length > 1; length--) {
    const root = parts.slice(0, length).join("/");
    if (isThere(`${root}/.git`)) return root;
  }
  return undefined;
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function isUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.replace(/\/?$/, "/"));
}

function executable(path: string): string | undefined {
  try {
    const { isFile, mode } = Deno.statSync(path);
    return isFile && ((mode ?? 0) & 0o111) !== 0 ? Deno.realPathSync(path) : undefined;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotCapable) throw thrown;
    return undefined;
  }
}

function realOr(folder: string): string {
  try {
    return Deno.realPathSync(folder);
  } catch {
    return folder;
  }
}

/** What PATH finds, asked without starting it. */
export interface Programs {
  has(name: string): boolean;
}

export function programsOn(path: string): Programs {
  const has = (name: string) =>
    absoluteEntries(path).some((entry) => executable(`${entry}/${name}`) !== undefined);
  return { has: (name) => /^[\w.+-]+$/.test(name) && has(name) };
}

/** Sync: one stat(2) takes some 5 us, awaiting it 100 us, and the start right after is sync as well.
 * @throws Failure `usage` when the name is not bare, `environment` when no entry of PATH holds it */
export function resolveProgram(name: string, where: ProgramSearch): string {
  // deno-lint-ignore no-control-regex -- control bytes are what is refused here
  if (name === "" || name === "." || name === ".." || /[/\x00-\x1f]/.test(name)) {
    throw new Failure("usage", `Cannot run ${JSON.stringify(name)}: it is not a program's name`, {
      remedy: "Give a bare name that PATH finds, such as git, or an absolute path",
    });
  }
  const refused = where.refuseUnder.map(realOr);
  let planted: string | undefined;
  for (const entry of absoluteEntries(where.path)) {
    const candidate = `${withoutEnding(entry, "/")}/${name}`;
    const real = executable(candidate);
    if (real === undefined) continue;
    if (!refused.some((folder) => isUnder(real, folder))) return candidate;
    planted ??= candidate;
  }
  throw new Failure(
    "environment",
    planted === undefined
      ? `Cannot run "${name}": no such program on PATH`
      : `Cannot run "${name}": PATH finds it only inside the repo, at "${planted}"`,
    { remedy: `Install ${name} outside the repo and put its folder on PATH` },
  );
}
