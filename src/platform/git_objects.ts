/** The objects that a commit consists of, made without the user's index and without any program. */
import { gitObjectId, gitPath } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { type CallGit, gitIn, type GitRunner } from "./git_call.ts";
import type { CommitPlan } from "./git_commit.ts";
import type { Place } from "./git_hardening.ts";
import { indexInfo } from "./git_index.ts";
import type { Person } from "./git_person.ts";

/** What git prints, without its line end; undefined where it answers with another code than 0. */
export async function line(git: CallGit, doing: string, args: readonly string[], answers = [0]) {
  const { code, stdout } = await git({ doing, args, answers });
  return code === 0 ? capturedText(stdout).trim() : undefined;
}

/** Answers of check-attr must fit into what is kept of a program's output. */
const ATTRIBUTES_A_LOOK = 100;

/** Of each change, the line that `update-index --index-info` reads (git-update-index(1)). */
export async function blobs(git: CallGit, { doing, changes }: CommitPlan): Promise<string[]> {
  const entries: string[] = [];
  const written = changes.filter(({ bytes }) => bytes !== null).map(({ path }) => path);
  for (const { path, bytes, executable } of changes) {
    if (bytes === null) {
      entries.push("");
      continue;
    }
    // Drivers are looked for once for many files. A call without that look runs none either.
    const at = written.indexOf(path);
    const looked = at % ATTRIBUTES_A_LOOK !== 0;
    // With the path, so that line ends are stored as the user's own git would store them.
    const { stdout } = await git({
      doing,
      args: ["hash-object", "-w", "--stdin", `--path=${gitPath(path)}`],
      stdin: bytes,
      ...(!looked && { mutates: written.slice(at, at + ATTRIBUTES_A_LOOK) }),
    });
    const oid = gitObjectId(capturedText(stdout).trim());
    entries.push(`${executable ? "100755" : "100644"} ${oid}`);
  }
  return entries;
}

const ownIndex = ({ gitDir }: Place) => `${gitDir}/svc-index`;

/** Also a killed run's: the repo's lock says that it is nobody's now. */
export async function dropOwnIndex(place: Place): Promise<void> {
  for (const path of [ownIndex(place), `${ownIndex(place)}.lock`]) {
    await Deno.remove(path).catch((thrown) => {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    });
  }
}

/** Calls git on an index of svc's own that holds `tree`, and drops it afterwards. */
export async function withOwnIndex<T>(
  runner: GitRunner,
  place: Place,
  { doing, tree }: { doing: string; tree: string | undefined },
  work: (git: CallGit) => Promise<T>,
): Promise<T> {
  const git = gitIn(runner, { ...place, index: ownIndex(place) });
  await dropOwnIndex(place);
  try {
    await git({ doing, args: ["read-tree", tree ?? "--empty"] });
    return await work(git);
  } finally {
    await dropOwnIndex(place);
  }
}

/** HEAD's tree with the changes, made in an index of its own. */
export async function treeWith(
  runner: GitRunner,
  place: Place,
  { doing, changes }: CommitPlan,
  { parent, entries }: { parent: string | undefined; entries: readonly string[] },
): Promise<string> {
  return await withOwnIndex(runner, place, { doing, tree: parent }, async (git) => {
    await git({
      doing,
      args: ["update-index", "-z", "--index-info"],
      stdin: indexInfo(changes, entries),
    });
    return (await line(git, doing, ["write-tree", "--missing-ok"]))!;
  });
}

export interface CommitParts {
  readonly tree: string;
  /** None for the first commit, two for a merge. */
  readonly parents: readonly string[];
  readonly author: Person;
  readonly committer: Person;
  /** Epoch ms. */
  readonly at: number;
}

export async function commitObject(
  git: CallGit,
  { doing, message }: Pick<CommitPlan, "doing" | "message">,
  of: CommitParts,
): Promise<string> {
  const stamp = `${Math.floor(of.at / 1000)} +0000`;
  const text = [
    `tree ${of.tree}`,
    ...of.parents.map((parent) => `parent ${parent}`),
    `author ${of.author.name} <${of.author.email}> ${stamp}`,
    `committer ${of.committer.name} <${of.committer.email}> ${stamp}`,
    "",
    `${message.replaceAll("\0", "").trimEnd()}\n`,
  ].join("\n");
  // Not commit-tree, which takes names and dates from variables only. git checks the form.
  const { stdout } = await git({
    doing,
    args: ["hash-object", "-t", "commit", "-w", "--stdin"],
    stdin: new TextEncoder().encode(text),
  });
  return gitObjectId(capturedText(stdout).trim());
}
