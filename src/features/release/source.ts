/** What a repo says of its releases: tags, VERSION, the changelog; and when svc may not go on. */
import { shellWord } from "svc/core/shell_word.ts";
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { type ByteText, byteText } from "svc/core/marked_block.ts";
import { quoted } from "svc/core/repo_path.ts";
import { isStrange, type Present } from "svc/platform/files/journal_target.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { wayOutOf } from "svc/platform/git/operation.ts";
import type { ReleaseTag } from "svc/platform/git/release_tags.ts";
import type { PlanDraft } from "svc/features/harness/draft.ts";
import { NEW_CHANGELOG } from "./changelog.ts";

export const CHANGELOG = "CHANGELOG.md";
export const VERSION_FILE = "VERSION";

/** @throws Failure `conflict` where the commits that count are not all there */
export async function refuseShallow(git: Pick<GitRepo, "isShallow" | "root">): Promise<void> {
  if (!await git.isShallow()) return;
  throw new Failure(
    "conflict",
    `Cannot write release notes of "${git.root}": its history is cut off (a shallow clone)`,
    { remedy: `git -C ${shellWord(git.root)} fetch --unshallow --tags` },
  );
}

/** What keeps files from being written, and its way out. */
export interface Obstacle {
  readonly why: string;
  readonly remedy: string;
}

/** Files that git does not know do not count: no release holds them. */
export async function obstacleIn(
  git: Pick<GitRepo, "status" | "operationNow" | "root">,
): Promise<Obstacle | undefined> {
  const operation = await git.operationNow();
  if (operation !== undefined) {
    return {
      why: `a ${operation} is under way`,
      remedy: wayOutOf(operation, git.root),
    };
  }
  const changed = (await git.status()).changes.filter(({ kind }) => kind !== "untracked");
  const [first] = changed;
  if (first === undefined) return undefined;
  const others = changed.length === 1 ? "" : ` and ${changed.length - 1} more`;
  return {
    why: `${quoted(first.path)}${others} changed since the last commit`,
    remedy: `Commit it, or git -C ${shellWord(git.root)} stash; then run the command again; ` +
      "--dry-run shows the notes meanwhile",
  };
}

export function refuseObstacle(doing: string, found: Obstacle | undefined): void {
  if (found === undefined) return;
  throw new Failure("conflict", `Cannot ${doing}: ${found.why}`, { remedy: found.remedy });
}

/** Undefined where there is no such file. @throws Failure `conflict` for a link, a folder, or one too large */
export async function ownFile(draft: PlanDraft, path: string): Promise<Present | undefined> {
  const now = await draft.now(path);
  if (!isStrange(now)) return now;
  throw new Failure("conflict", `Cannot write release notes: ${quoted(path)}: ${now.strange}`, {
    remedy: `Make ${quoted(path)} a plain file of at most ${FILE_WRITE_BYTES >> 20} MiB`,
  });
}

export interface ChangelogFile {
  readonly present: Present | undefined;
  readonly text: ByteText;
}

export async function changelogFile(draft: PlanDraft): Promise<ChangelogFile> {
  const present = await ownFile(draft, CHANGELOG);
  return { present, text: present === undefined ? NEW_CHANGELOG : byteText(present.bytes) };
}

/** @throws Failure `conflict` */
export function refuseTooLarge(bytes: Uint8Array): void {
  if (bytes.length <= FILE_WRITE_BYTES) return;
  throw new Failure(
    "conflict",
    `Cannot write release notes: ${CHANGELOG} would be larger than ${FILE_WRITE_BYTES >> 20} MiB`,
    { remedy: `Move old entries from ${CHANGELOG} to another file` },
  );
}

/** `v1.2.0` where tags of the repo are so, or where it has none. */
export function tagNamed(version: string, tags: readonly ReleaseTag[]): string {
  return tags.length === 0 || tags[0]!.name.startsWith("v") ? `v${version}` : version;
}
