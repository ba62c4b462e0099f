/** Plans the entries of releases that were made: of each tag, as its commits tell; those that a person wrote stay. */
import { bytesOf } from "svc/core/marked_block.ts";
import { compareSemver, type SemVer, semverText } from "svc/core/semver.ts";
import { together } from "svc/core/together.ts";
import { PlanDraft } from "svc/features/harness/draft.ts";
import { type ReleaseTag, releaseTags } from "svc/platform/git/release_tags.ts";
import type { FullCommit } from "svc/platform/git/releases.ts";
import { changesOf } from "./changes.ts";
import { type Changelog, entryBytes, entryOf, readChangelog, withEntries } from "./changelog.ts";
import { entryText, isOwnEntry, type ReleaseLinks } from "./entry.ts";
import type { NotesTarget } from "./plan_notes.ts";
import { CHANGELOG, changelogFile, refuseTooLarge } from "./source.ts";

interface BackfillQuery {
  /** Both belong to what is looked at. */
  readonly min: SemVer | undefined;
  readonly max: SemVer | undefined;
  readonly links: ReleaseLinks;
}

type EntryOutcome = "added" | "rewritten" | "unchanged" | "kept";

export interface BackfilledEntry {
  readonly version: string;
  readonly outcome: EntryOutcome;
  /** Why it is kept. */
  readonly why?: string;
}

export class BackfillDraft extends PlanDraft {
  /** Newest first. */
  readonly entries: BackfilledEntry[] = [];
}

interface Release extends ReleaseTag {
  readonly commits: readonly FullCommit[];
  readonly previous: ReleaseTag | undefined;
}

/** A commit belongs to the lowest version that has it; tags on other lines than HEAD's are left out. */
function releasesOf(commits: readonly FullCommit[], tags: readonly ReleaseTag[]): Release[] {
  const byId = new Map(commits.map((commit) => [commit.id, commit]));
  const lines = tags.toReversed().filter(({ commit }) => byId.has(commit));
  const owner = new Map<string, FullCommit[]>();
  const releases: Release[] = [];
  for (const [at, tag] of lines.entries()) {
    const own: FullCommit[] = [];
    const open = [tag.commit];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const commit = byId.get(id);
      if (commit === undefined || owner.has(id)) continue;
      owner.set(id, own);
      open.push(...commit.parents);
    }
    // The tip comes first, whatever the clocks of its authors said.
    if (owner.get(tag.commit) === own) own.push(byId.get(tag.commit)!);
    releases.push({ ...tag, commits: own, previous: lines[at - 1] });
  }
  for (const commit of commits) {
    const own = owner.get(commit.id);
    if (own !== undefined && own[0] !== commit) own.push(commit);
  }
  return releases.reverse();
}

async function judge(
  changelog: Changelog,
  release: Release,
  links: ReleaseLinks,
): Promise<BackfilledEntry & { readonly text?: string }> {
  const version = semverText(release.version);
  const old = entryOf(changelog, release.version);
  const oldText = old && entryBytes(changelog, old);
  if (oldText !== undefined && !await isOwnEntry(oldText)) {
    return { version, outcome: "kept", why: "a person wrote or edited it" };
  }
  const { previous } = release;
  const text = await entryText({
    version,
    // Notes are written some time before the tag; their date stays.
    date: old?.date ?? new Date(release.tagged_at).toISOString().slice(0, 10),
    changes: changesOf(release.commits, version).changes,
    links,
    range: previous && { from: previous.name, to: release.name },
  });
  const same = oldText !== undefined && words(oldText) === words(text);
  if (same) return { version, outcome: "unchanged" };
  return { version, outcome: old === undefined ? "added" : "rewritten", text };
}

const words = (text: string) => text.split(/\s+/).join(" ").trim();

/** @throws Failure `conflict` for a changelog that svc cannot write */
export async function planBackfill(
  target: NotesTarget,
  { min, max, links }: BackfillQuery,
): Promise<BackfillDraft> {
  const draft = new BackfillDraft(target);
  const within = (version: SemVer) =>
    (min === undefined || compareSemver(version, min) >= 0) &&
    (max === undefined || compareSemver(version, max) <= 0);
  const { git } = target;
  const [commits, tags, { present, text }] = await together(
    git.fullCommits(),
    git.tags(),
    changelogFile(draft),
  );
  const releases = releasesOf(commits, releaseTags(tags));
  const changelog = readChangelog(text);
  const written: { version: SemVer; text: string }[] = [];
  for (const release of releases.filter(({ version }) => within(version))) {
    const { text, ...entry } = await judge(changelog, release, links);
    draft.entries.push(entry);
    if (text !== undefined) written.push({ version: release.version, text });
  }
  for (const { version } of changelog.entries.filter(({ version }) => within(version))) {
    if (releases.some((release) => compareSemver(release.version, version) === 0)) continue;
    draft.entries.push({
      version: semverText(version),
      outcome: "kept",
      why: "no tag says which commits it has",
    });
  }
  if (written.length === 0) return draft;
  const edited = bytesOf(withEntries(text, written));
  refuseTooLarge(edited);
  const change = present === undefined ? "create" : "edit";
  await draft.write(CHANGELOG, edited, { change, over: present, diff: true });
  return draft;
}
