/** Reads the case of a benchmark: the task in words, and paths that must be files of the repo. */
import { joinPath, nameOf } from "svc/core/path_parts.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Files } from "svc/platform/files/files.ts";
import { type BenchCase, GROUPS, type PathGroup } from "./benchmark.ts";
import { taskWords } from "./task_words.ts";

const CODE_BENCH_CASE_BYTES = 64 * 1024;

export interface BenchRequest {
  /** A file that states the task, absolute or below `cwd`, or the task itself. */
  readonly case: string;
  readonly changed: readonly string[];
  readonly expected: Readonly<Record<PathGroup, readonly string[]>>;
}

interface NamedCase extends BenchCase {
  readonly name: string;
  /** Both expected and given as changed, so that they need not be found. */
  readonly given: readonly string[];
}

/** One word that is a path by its start or its end; "read/write" and "fix docs/a.md" are words. */
const LOOKS_LIKE_FILE = /^(?:~|\.{0,2})\/\S*$|^\S+\.(?:md|markdown|txt|ya?ml|json)$/i;

function plainCase(text: string): string {
  const [, front, body] = /^---\r?\n(.*?)\r?\n---\r?\n(.*)$/s.exec(text) ?? [];
  if (front === undefined) return text;
  return `${/^title:(.*)$/m.exec(front)?.[1] ?? ""}\n${body}`;
}

interface TypedCase {
  readonly cwd: string;
  readonly typed: string;
}

/** The file that it would be, without `.` and `..`. */
export function caseFile({ cwd, typed }: TypedCase): string {
  return `/${joinPath(typed.startsWith("/") ? "" : cwd, typed) ?? ""}`;
}

async function caseText(
  files: Pick<Files, "readText" | "stat">,
  { cwd, typed }: TypedCase,
): Promise<string> {
  const path = caseFile({ cwd, typed });
  if ((await files.stat(path))?.kind === "file") {
    return plainCase(await files.readText(path, { maxBytes: CODE_BENCH_CASE_BYTES, lossy: true }));
  }
  if (!LOOKS_LIKE_FILE.test(typed)) return typed.replaceAll(/[-_]/g, " ");
  throw new Failure("usage", `Cannot benchmark the case ${quoted(typed)}: there is no such file`, {
    remedy: "Name a file whose text says what is to be done, or say it in a few words",
  });
}

interface ListedPaths {
  readonly root: string;
  readonly paths: ReadonlySet<string>;
}

function pathsOf(typed: readonly string[], flag: string, { root, paths }: ListedPaths): string[] {
  const own = (path: string) =>
    (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path).replace(/^(?:\.\/)+/, "");
  const named = typed.flatMap((value) => paths.has(own(value)) ? [value] : value.split(","))
    .map((path) => own(path.trim())).filter((path) => path !== "");
  for (const path of named) {
    if (paths.has(path)) continue;
    const near = [...paths].filter((other) => nameOf(other) === nameOf(path)).slice(0, 3);
    throw new Failure("usage", `Cannot benchmark: ${flag} ${quoted(path)} is no file of the repo`, {
      remedy: near.length === 0
        ? "Name files from the repo's root, as git ls-files lists them"
        : `Did you mean ${near.map(quoted).join(" or ")}?`,
    });
  }
  return [...new Set(named)].sort();
}

/** @throws Failure `usage` that names the flag */
export async function readCase(
  files: Pick<Files, "readText" | "stat">,
  asked: BenchRequest,
  at: ListedPaths & { readonly cwd: string },
): Promise<NamedCase> {
  const text = await caseText(files, { cwd: at.cwd, typed: asked.case });
  const changed = pathsOf(asked.changed, "--changed-paths", at);
  const of = (group: PathGroup) => pathsOf(asked.expected[group], `--expected-${group}`, at);
  const all = { files: of("files"), tests: of("tests"), docs: of("docs") };
  const left = (group: PathGroup) => all[group].filter((path) => !changed.includes(path));
  const expected = { files: left("files"), tests: left("tests"), docs: left("docs") };
  const given = GROUPS.flatMap((group) => all[group].filter((path) => changed.includes(path)));
  if (GROUPS.every((group) => expected[group].length === 0)) {
    throw new Failure("usage", "Cannot benchmark: there is nothing to find", {
      remedy: given.length === 0
        ? "Name what a good answer has with --expected-files, --expected-tests or --expected-docs"
        : "Name other files than those of --changed-paths: both sides are given these",
    });
  }
  const { paths, names, words } = taskWords(text);
  if (changed.length + paths.length + names.length + words.length === 0) {
    throw new Failure("usage", `Cannot benchmark the case ${quoted(asked.case)}: it has no words`, {
      remedy:
        "Say what is to be done with words that are not in every task, or add --changed-paths",
    });
  }
  return { name: asked.case, text, changed, expected, given };
}
