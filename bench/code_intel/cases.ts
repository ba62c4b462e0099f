/** Picks the commits of a history that are replayed, and what of each is given and expected. */
import { run } from "bench/replay/source.ts";
import { mayBeHinted } from "svc/runtime/job/code_hint.ts";

/** Replayed commits of a history, spread over it. */
const CASES = 16;

/** Commits of more files are moves and formats; a version has several commits' worth. */
const COMMIT_FILES = 10;
const VERSION_FILES = 25;

/** Part of the oldest commits: before them there is no past to learn from. */
const PAST = 0.2;

export interface ReplayedCase {
  readonly commit: string;
  /** The tree that is searched; it and what is before it is all that the hint may know. */
  readonly parent: string;
  /** Empty where a version says nothing of itself. */
  readonly words: string;
  readonly given: string;
  /** Changed too, and there in the parent's tree. */
  readonly others: readonly string[];
}

/** FNV-1a (RFC 9923), so that the given file is the same in each run and nobody's choice. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ char.codePointAt(0)!, 0x01000193) >>> 0;
  return value;
}

const LOG = ["log", "--reverse", "--no-merges", "--min-parents=1", "--no-renames", "-z"];
const FORMAT = ["--name-only", "--diff-filter=M", "--format=%x01%H%x02%P%x02%s %b%x02"];

function caseOf(told: string, most: number): ReplayedCase | undefined {
  const [commit = "", parent = "", said = "", listed = ""] = told.split("\x02");
  const words = said.replaceAll(/\s+/g, " ").trim();
  const files = listed.split("\0").map((path) => path.trim())
    .filter((path) => path !== "" && mayBeHinted(path)).sort();
  if (files.length < 2 || files.length > most) return undefined;
  const given = files[hash(words) % files.length]!;
  return {
    commit,
    parent,
    words: words === "release" ? "" : words,
    given,
    others: files.filter((path) => path !== given),
  };
}

export async function casesOf(root: string, kind: string): Promise<ReplayedCase[]> {
  const said = await run(root, ["git", ...LOG, ...FORMAT, "main"]);
  const most = kind.includes("versions") ? VERSION_FILES : COMMIT_FILES;
  const all = said.split("\x01").slice(1).map((told) => caseOf(told, most))
    .filter((one) => one !== undefined);
  const late = all.slice(Math.floor(all.length * PAST));
  const from = late.length >= CASES ? late : all;
  const step = Math.max(1, from.length / CASES);
  const many = Math.min(CASES, from.length);
  return Array.from({ length: many }, (_, at) => from[Math.floor(at * step)]!);
}
