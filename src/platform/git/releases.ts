/** What git tells of releases: tags, whole commit messages, and whether the history is all there. */
import { gitObjectId, gitPath } from "svc/core/git_args.ts";
import { eachItem, eachStretch, lineOf } from "./answers.ts";
import type { CallGit } from "./call.ts";
import { askedTip } from "./head.ts";

/** UTF-16 units of one message; what follows tells no more of a change. */
const MESSAGE_CHARS = 64 * 1024;
const FIELDS = 6;

export interface FullCommit {
  readonly id: string;
  readonly parents: readonly string[];
  /** Epoch ms. */
  readonly committed_at: number;
  readonly author: string;
  readonly email: string;
  readonly message: string;
}

export interface Tag {
  readonly name: string;
  readonly commit: string;
  /** Epoch ms: of the tag itself where it is annotated, else of its commit. */
  readonly tagged_at: number;
}

export interface LastChange {
  readonly id: string;
  /** Epoch ms. */
  readonly committed_at: number;
}

export interface GitReleases {
  /** Newest first, from HEAD back; without those that `after` has too. Empty before the first commit. */
  fullCommits(query?: { readonly after?: string }): Promise<FullCommit[]>;
  /** Those that name commits. `reached`: only commits that HEAD has too, so none before the first commit. */
  tags(query?: { readonly reached?: boolean }): Promise<Tag[]>;
  /** Some of the history is left out (git-clone(1), --depth). */
  isShallow(): Promise<boolean>;
  /** The newest commit before HEAD that changed one of the files or folders; undefined for no paths. */
  lastChange(paths: readonly string[]): Promise<LastChange | undefined>;
}

async function fullCommits(git: CallGit, doing: string, after: string | undefined) {
  const commits: FullCommit[] = [];
  if (await askedTip(git, doing) === undefined) return commits;
  const decoder = new TextDecoder();
  let rest: string[] = [];
  const args = [
    ...["log", "-z", "--format=%H%x00%P%x00%ct%x00%an%x00%ae%x00%B", "--encoding=UTF-8"],
    ...["--no-decorate", "--no-show-signature", "--no-patch", "--no-ext-diff", "--no-color"],
    ...["--end-of-options", "HEAD", ...(after === undefined ? [] : [`^${gitObjectId(after)}`])],
    "--",
  ];
  await eachStretch(git, { doing, args }, (stretch) => {
    const items = [...rest, ...decoder.decode(stretch.subarray(0, -1)).split("\0")];
    const whole = items.length - items.length % FIELDS;
    for (let at = 0; at < whole; at += FIELDS) {
      commits.push({
        id: items[at]!,
        parents: items[at + 1] === "" ? [] : items[at + 1]!.split(" "),
        committed_at: Number(items[at + 2]) * 1000,
        author: items[at + 3]!,
        email: items[at + 4]!,
        message: items[at + 5]!.slice(0, MESSAGE_CHARS),
      });
    }
    rest = items.slice(whole);
  });
  return commits;
}

async function tags(git: CallGit, doing: string, reached: boolean): Promise<Tag[]> {
  const found: Tag[] = [];
  const tip = reached ? await askedTip(git, doing) : undefined;
  if (reached && tip === undefined) return found;
  const decoder = new TextDecoder();
  const fields = ["refname:strip=2", "objecttype", "objectname", "*objecttype", "*objectname"]
    .map((field) => `%(${field})`).join("%00");
  const args = [
    ...["for-each-ref", `--format=${fields}%00%(creatordate:unix)`],
    ...(tip === undefined ? [] : [`--merged=${gitObjectId(tip)}`]),
    "refs/tags",
  ];
  await eachItem(git, { doing, args }, (line) => {
    const [name, type, id, innerType, inner, seconds] = decoder.decode(line).split("\0");
    const commit = type === "commit" ? id : innerType === "commit" ? inner : undefined;
    if (commit !== undefined) {
      found.push({ name: name!, commit, tagged_at: Number(seconds) * 1000 });
    }
  }, "LF");
  return found;
}

export function releaseVerbs(git: CallGit, root: string): GitReleases {
  const doing = `read the history of "${root}"`;
  return {
    fullCommits: ({ after } = {}) => fullCommits(git, doing, after),
    tags: ({ reached = false } = {}) => tags(git, doing, reached),
    isShallow: async () =>
      await lineOf(git, doing, ["rev-parse", "--is-shallow-repository"]) === "true",
    async lastChange(paths) {
      if (paths.length === 0 || await askedTip(git, doing) === undefined) return undefined;
      const line = await lineOf(git, doing, [
        ...["log", "--max-count=1", "--format=%H %ct", "--no-show-signature", "--no-patch"],
        ...["--end-of-options", "HEAD", "--", ...paths.map(gitPath)],
      ]);
      const [id, seconds] = (line ?? "").split(" ");
      return id === undefined || id === ""
        ? undefined
        : { id, committed_at: Number(seconds) * 1000 };
    },
  };
}
