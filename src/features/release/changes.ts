/** Makes the changes of one release out of its commits: merges, squashed lists and reverts are settled here. */
import type { FullCommit } from "svc/platform/git/releases.ts";
import { weightOf } from "./bump.ts";
import {
  type Header,
  type IssueRef,
  type Message,
  readHeader,
  readMessage,
} from "./conventional.ts";
import { squashedHeaders } from "./squashed.ts";

export interface Change {
  /** In small letters; empty for a commit whose title follows no convention. */
  readonly type: string;
  readonly scope?: string;
  readonly subject: string;
  readonly breaking: boolean;
  readonly breaks: readonly string[];
  readonly closes: readonly IssueRef[];
  /** Ids of the commits, at least one. */
  readonly commits: readonly string[];
}

interface ReadCommit extends FullCommit, Message {
  readonly merge: boolean;
}

/** Titles that git and the code hosts give a merge; the first line of the body is then what it brings. */
const MERGE_TITLE = /^Merged? (?:pull request|branch|remote-tracking branch|tag|commit|in) /;

function readCommit(commit: FullCommit): ReadCommit {
  const message = readMessage(commit.message);
  const merge = commit.parents.length > 1;
  if (!merge || !MERGE_TITLE.test(message.title)) return { ...commit, ...message, merge };
  const title = message.body.find((line) => line.trim() !== "")?.trim() ?? message.title;
  return { ...commit, ...message, title, header: readHeader(title), merge };
}

/**
 * By merge of the main line, what it brought in. Each commit on the way of first parents owns what none before
 * it had.
 */
function broughtIn(commits: readonly ReadCommit[]): Map<string, ReadCommit[]> {
  const byId = new Map(commits.map((commit) => [commit.id, commit]));
  const line: ReadCommit[] = [];
  for (let at = commits[0]; at !== undefined; at = byId.get(at.parents[0] ?? "")) line.push(at);
  const owned = new Set<string>();
  const brought = new Map<string, ReadCommit[]>();
  for (const merge of line.reverse()) {
    owned.add(merge.id);
    if (!merge.merge) continue;
    const group: ReadCommit[] = [];
    const open = merge.parents.slice(1);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const commit = byId.get(id);
      if (commit === undefined || owned.has(id)) continue;
      owned.add(id);
      group.push(commit);
      open.push(...commit.parents);
    }
    brought.set(merge.id, group);
  }
  return brought;
}

type BroughtIn = ReadonlyMap<string, readonly ReadCommit[]>;

/** Merges speak only for commits that say nothing themselves; other merges say nothing. */
function silentMerges(commits: readonly ReadCommit[], brought: BroughtIn): Set<string> {
  const merges = new Map(commits.filter(({ merge }) => merge).map((merge) => [merge.id, merge]));
  const dropped = new Set<string>(merges.keys());
  for (const [id, group] of brought) {
    const merge = merges.get(id)!;
    if (merge.header === undefined || group.some(({ header }) => header !== undefined)) continue;
    dropped.delete(id);
    for (const { id } of group) dropped.add(id);
  }
  return dropped;
}

/** `feat: add x (#12)` of a squashed pull request, and GitHub's title of one that was merged. */
const REQUEST_TITLE = /\(#(\d{1,10})\)[ \t\r]*$|^Merge pull request #(\d{1,10}) /;

/** The commits that came by a pull request, by its number; of several of one number the newest. */
function byRequest(commits: readonly ReadCommit[]): Map<string, ReadCommit> {
  const found = new Map<string, ReadCommit>();
  for (const commit of commits) {
    const [title = ""] = commit.message.split("\n", 1);
    const [, squashed, merged] = REQUEST_TITLE.exec(title) ?? [];
    const number = squashed ?? merged;
    if (number !== undefined && !found.has(number)) found.set(number, commit);
  }
  return found;
}

/** What was taken back within the release, and the commits that only did so, are no change of it. */
function takenBack(commits: readonly ReadCommit[], brought: BroughtIn): Set<string> {
  const gone = new Set<string>();
  const takers = commits.filter(({ reverts, revertsRequests }) =>
    reverts.length + revertsRequests.length > 0
  );
  if (takers.length === 0) return gone;
  const byId = new Map(commits.map((commit) => [commit.id, commit]));
  const byNumber = byRequest(commits);
  const named = (id: string) =>
    byId.get(id) ?? commits.find((commit) => id.length < 40 && commit.id.startsWith(id));
  // Newest first: a commit that was taken back itself takes nothing back.
  for (const { id, header, reverts, revertsRequests } of takers) {
    if (gone.has(id)) continue;
    const targets = [...reverts.map(named), ...revertsRequests.map((one) => byNumber.get(one))]
      .filter((target) => target !== undefined && target.id !== id)
      // What a merge on another line than the main one brought is not known.
      .filter((target) => !target!.merge || brought.has(target!.id));
    for (const target of targets) {
      gone.add(target!.id);
      for (const { id } of brought.get(target!.id) ?? []) gone.add(id);
    }
    // Words of its own, such as "fix: …", are a change beside what went.
    if (targets.length > 0 && header?.type === "revert") gone.add(id);
  }
  return gone;
}

const changeOf = (header: Header | undefined, commit: ReadCommit, breaks: readonly string[]) => ({
  type: header?.type ?? "",
  ...(header?.scope !== undefined && { scope: header.scope }),
  subject: header?.subject ?? commit.title,
  breaking: header?.breaking === true || breaks.length > 0,
  breaks,
  closes: commit.closes,
  commits: [commit.id],
});

/** The title's own change, and those of its list that weigh more; or the list's, where the title says nothing. */
function changesIn(commit: ReadCommit): Change[] {
  const own = changeOf(commit.header, commit, commit.breaks);
  if (commit.body.length === 0) return [own];
  const listed = squashedHeaders(commit.body).map((header) => changeOf(header, commit, []));
  if (listed.length === 0) return [own];
  if (commit.header === undefined) {
    const [first, ...rest] = listed;
    return [
      { ...first!, breaks: commit.breaks, breaking: own.breaking || first!.breaking },
      ...rest,
    ];
  }
  return [own, ...listed.filter((change) => weightOf(change) > weightOf(own))];
}

/** The same change by several commits, such as one picked to another branch and merged, is one. */
function joined(changes: readonly Change[]): Change[] {
  const byText = new Map<string, Change>();
  for (const change of changes) {
    const { type, scope = "", subject } = change;
    const key = `${type}\0${scope}\0${subject}`;
    const known = byText.get(key);
    byText.set(
      key,
      known === undefined ? change : {
        ...known,
        breaking: known.breaking || change.breaking,
        breaks: [...new Set([...known.breaks, ...change.breaks])],
        commits: [...known.commits, ...change.commits],
      },
    );
  }
  return [...byText.values()];
}

export interface ReleaseChanges {
  /** Newest first. */
  readonly changes: readonly Change[];
  /** Names of authors and co-authors, by address once each, those of most commits first. */
  readonly contributors: readonly string[];
}

function contributorsOf(commits: readonly ReadCommit[]): string[] {
  const people = new Map<string, { name: string; commits: number }>();
  for (const { author, email, coAuthors, merge } of commits) {
    if (merge) continue;
    for (const { name, email: address } of [{ name: author, email }, ...coAuthors]) {
      const key = address.toLowerCase();
      const known = people.get(key) ?? { name, commits: 0 };
      known.commits++;
      people.set(key, known);
    }
  }
  return [...people.values()].sort((one, other) => other.commits - one.commits)
    .map(({ name }) => name);
}

/** Such a commit only says that the version was raised. */
function announces({ header, title }: ReadCommit, version: string | undefined): boolean {
  return header === undefined && version !== undefined && title.includes(version) &&
    /^(?:release|version|bump|publish|prepare|v?\d)/i.test(title);
}

/**
 * @param commits all of the release, newest first; the first is its tip
 * @param version of a release that was made already
 */
export function changesOf(commits: readonly FullCommit[], version?: string): ReleaseChanges {
  const read = commits.map(readCommit);
  const brought = broughtIn(read);
  const [silent, gone] = [silentMerges(read, brought), takenBack(read, brought)];
  const kept = read.filter((commit) =>
    !silent.has(commit.id) && !gone.has(commit.id) && !announces(commit, version)
  );
  return { changes: joined(kept.flatMap(changesIn)), contributors: contributorsOf(read) };
}
