/** Plans the notes of the next release: which commits count, what they make of the version, what is written. */
import { Failure } from "svc/core/failure.ts";
import { bytesOf, type ByteText, byteText } from "svc/core/marked_block.ts";
import { quoted, repoPath } from "svc/core/repo_path.ts";
import {
  type Bump,
  compareSemver,
  parseSemver,
  raised,
  type SemVer,
  semverText,
} from "svc/core/semver.ts";
import { encode, PlanDraft, type PlanTarget } from "svc/features/harness/draft.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { type ReleaseTag, releaseTags } from "svc/platform/git/release_tags.ts";
import type { Present } from "svc/platform/files/journal_target.ts";
import { bumpFor, isQuiet } from "./bump.ts";
import { changesOf } from "./changes.ts";
import { entryOf, readChangelog, withEntries } from "./changelog.ts";
import { entryText, type ReleaseLinks } from "./entry.ts";
import {
  CHANGELOG,
  changelogFile,
  ownFile,
  refuseTooLarge,
  tagNamed,
  VERSION_FILE,
} from "./source.ts";
import { isManifest, versionFiles, versionSpans, withVersion } from "./version_spans.ts";

/** Where neither VERSION nor a tag nor a manifest says one (semver.org, FAQ: start at 0.1.0). */
const FIRST = "0.1.0";
/** The smallest first. */
const BUMPS = ["patch", "minor", "major"] as const;

export interface NotesQuery {
  readonly bump: Bump | "auto";
  /** Files that a person named, whose version constants count whatever they are called. */
  readonly named: readonly string[];
  /** Epoch ms. */
  readonly now: number;
  readonly links: ReleaseLinks;
}

export interface PreviousRelease {
  readonly version: string;
  /** Null: the commit that set VERSION stands for it. */
  readonly tag: string | null;
  /** Null: nothing was released; all commits count. */
  readonly commit: string | null;
}

export class NotesDraft extends PlanDraft {
  previous: PreviousRelease = { version: "0.0.0", tag: null, commit: null };
  bump: Bump | null = null;
  version: string | null = null;
  /** The tag that a person gives the release. */
  tag: string | null = null;
  notes: string | null = null;
  commits = { all: 0, listed: 0, breaking: 0 };
  contributors: readonly string[] = [];
}

export interface NotesTarget extends PlanTarget {
  readonly git: GitRepo;
}

interface ConstantFile {
  readonly path: string;
  readonly present: Present;
  readonly text: ByteText;
  readonly spans: ReturnType<typeof versionSpans>;
}

async function constantsIn(
  target: NotesTarget,
  draft: PlanDraft,
  named: readonly string[],
): Promise<ConstantFile[]> {
  const { paths } = await target.git.trackedFiles();
  const files: ConstantFile[] = [];
  for (const path of new Set([...versionFiles(paths), ...named.map(repoPath)])) {
    if (path === VERSION_FILE || path === CHANGELOG) continue;
    const present = await draft.plain(path);
    if (present === undefined) {
      if (!named.includes(path)) continue;
      throw new Failure("usage", `Cannot set the version in ${quoted(path)}: no such file`, {
        remedy:
          "Name a file below the repo's root: svc release notes --version-file src/version.ts",
      });
    }
    const text = byteText(present.bytes);
    const spans = versionSpans(path, text);
    if (spans.length === 0 && named.includes(path)) {
      throw new Failure(
        "usage",
        `Cannot set the version in ${quoted(path)}: it says none, such as VERSION = "1.2.0"`,
        { remedy: "Name the file that holds the version constant" },
      );
    }
    if (spans.length > 0) files.push({ path, present, text, spans });
  }
  return files;
}

function writtenVersion(text: string): SemVer {
  const version = parseSemver(text.trim().replace(/^v/, ""));
  if (version !== undefined) return version;
  throw new Failure(
    "conflict",
    `Cannot write release notes: ${VERSION_FILE} says ${
      quoted(text.trim().slice(0, 80))
    }, which is no version`,
    { remedy: `Write the version of the last release into ${VERSION_FILE}, such as 1.2.0` },
  );
}

interface Before {
  /** Undefined: nothing says any version. */
  readonly version: SemVer | undefined;
  readonly tag?: ReleaseTag | undefined;
  readonly commit?: string | undefined;
}

/** The last release: what VERSION says, else the highest tag, else a manifest. */
async function before(
  { git }: NotesTarget,
  { tags, file, constants }: {
    readonly tags: readonly ReleaseTag[];
    readonly file: Present | undefined;
    readonly constants: readonly ConstantFile[];
  },
): Promise<Before> {
  const names = new Set((await git.tags({ reached: true })).map(({ name }) => name));
  const reached = tags.filter(({ name }) => names.has(name));
  const [highest] = reached;
  if (file === undefined) {
    if (highest !== undefined) {
      return { version: highest.version, tag: highest, commit: highest.commit };
    }
    const said = constants.filter(({ path }) => isManifest(path)).map(({ spans }) =>
      spans[0]!.value
    );
    return { version: said.map(parseSemver).find((version) => version !== undefined) };
  }
  const version = writtenVersion(new TextDecoder().decode(file.bytes));
  if (highest !== undefined && compareSemver(highest.version, version) > 0) {
    throw new Failure(
      "conflict",
      `Cannot write release notes: ${VERSION_FILE} says ${semverText(version)}, ` +
        `and the tag ${highest.name} is newer`,
      { remedy: `Write ${semverText(highest.version)} into ${VERSION_FILE} and commit it` },
    );
  }
  const same = reached.find((tag) => compareSemver(tag.version, version) === 0);
  if (same !== undefined) return { version, tag: same, commit: same.commit };
  // Not tagged yet, or tagged elsewhere: the commit that wrote the version stands for the release.
  return { version, commit: (await git.lastChange([VERSION_FILE]))?.id };
}

async function writeConstants(
  draft: PlanDraft,
  constants: readonly ConstantFile[],
  { from, to, named }: { from: string; to: string; named: readonly string[] },
): Promise<void> {
  for (const { path, present, text, spans } of constants) {
    const values = [...new Set(spans.map(({ value }) => value))];
    const [said] = values;
    // In a file that a person named, one version alone is the project's although it is not the last release's.
    const old = named.includes(path) && values.length === 1 ? said : from;
    const current = spans.filter(({ value }) => value === old);
    if (current.length > 0) {
      const edited = bytesOf(withVersion(text, current, to));
      await draft.write(path, edited, { change: "edit", over: present, diff: true });
    } else if (values.length > 1 && named.includes(path)) {
      draft.keep(path, `it says ${values.join(" and ")}, and none of them is ${from}`);
    } else if (said !== to && isManifest(path)) {
      draft.keep(path, `its version is ${said}, not ${from}`);
    }
  }
}

async function writeVersion(draft: PlanDraft, file: Present | undefined, version: string) {
  const old = file === undefined ? "" : new TextDecoder().decode(file.bytes);
  const letter = old.trimStart().startsWith("v") ? "v" : "";
  const end = old.slice(old.trimEnd().length);
  const text = encode(`${letter}${version}${file === undefined ? "\n" : end}`);
  const change = file === undefined ? "create" : "edit";
  await draft.write(VERSION_FILE, text, { change, over: file, diff: true });
}

async function writeEntry(draft: PlanDraft, version: SemVer, entry: string): Promise<void> {
  const { present, text } = await changelogFile(draft);
  if (entryOf(readChangelog(text), version) !== undefined) {
    throw new Failure(
      "conflict",
      `Cannot write release notes: ${CHANGELOG} has an entry of ${semverText(version)} already`,
      { remedy: `Set ${VERSION_FILE} to ${semverText(version)}, or remove that entry` },
    );
  }
  const edited = bytesOf(withEntries(text, [{ version, text: entry }]));
  refuseTooLarge(edited);
  const change = present === undefined ? "create" : "edit";
  await draft.write(CHANGELOG, edited, { change, over: present, diff: true });
}

/** Its tag could not be made: that name is another commit's. @throws Failure `conflict` */
function refuseTaken(tags: readonly ReleaseTag[], current: SemVer, version: SemVer): void {
  const tagOf = (version: SemVer) => tags.find((tag) => compareSemver(tag.version, version) === 0);
  const taken = tagOf(version);
  if (taken === undefined) return;
  const free = BUMPS.find((bump) => tagOf(raised(current, bump)) === undefined);
  throw new Failure(
    "conflict",
    `Cannot write release notes of ${semverText(version)}: ` +
      `the tag ${taken.name} stands on another line of history`,
    {
      remedy: free === undefined
        ? `Merge ${taken.name} first, or write the version to go on from into ${VERSION_FILE}`
        : `svc release notes --bump ${free}, or merge ${taken.name} first`,
    },
  );
}

/** @throws Failure `conflict` where VERSION, tags and changelog do not fit, `usage` for a bad named file */
export async function planNotes(target: NotesTarget, query: NotesQuery): Promise<NotesDraft> {
  const draft = new NotesDraft(target);
  const { git } = target;
  const tags = releaseTags(await git.tags());
  const file = await ownFile(draft, VERSION_FILE);
  const constants = await constantsIn(target, draft, query.named);
  const last = await before(target, { tags, file, constants });
  const commits = await git.fullCommits(last.commit === undefined ? {} : { after: last.commit });
  const { changes, contributors } = changesOf(commits);
  const from = last.version === undefined ? "0.0.0" : semverText(last.version);
  draft.previous = { version: from, tag: last.tag?.name ?? null, commit: last.commit ?? null };
  draft.commits = {
    all: commits.length,
    listed: changes.filter((change) => change.breaking || !isQuiet(change)).length,
    breaking: changes.filter(({ breaking }) => breaking).length,
  };
  draft.contributors = contributors;
  const current = last.version ?? parseSemver("0.0.0")!;
  const bump = query.bump === "auto" ? bumpFor(current, changes) : query.bump;
  if (bump === undefined || commits.length === 0) return draft;
  const version = last.version === undefined && query.bump === "auto"
    ? parseSemver(FIRST)!
    : raised(current, bump);
  const to = semverText(version);
  refuseTaken(tags, current, version);
  const tag = tagNamed(to, tags);
  const range = last.tag && { from: last.tag.name, to: tag };
  const date = new Date(query.now).toISOString().slice(0, 10);
  const entry = await entryText({ version: to, date, changes, links: query.links, range });
  Object.assign(draft, { bump, version: to, tag, notes: entry });
  await writeVersion(draft, file, to);
  await writeEntry(draft, version, entry);
  await writeConstants(draft, constants, { from, to, named: query.named });
  return draft;
}
