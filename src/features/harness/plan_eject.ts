/** Plans `eject`: exactly what svc created and nobody changed since, and all of `.harness/`. */
import { FILE_READ_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import type { Files } from "svc/platform/files/files.ts";
import { isStrange, type Present } from "svc/platform/files/journal_target.ts";
import { POOL } from "svc/platform/git/worktree_pool.ts";
import type { Worktrees } from "svc/platform/git/worktrees.ts";
import { isDefaultPath } from "./defaults.ts";
import { type DropDraft, PlanDraft, type PlanTarget, versionOf } from "./draft.ts";
import { formatAgain } from "./formatter_ignore.ts";
import { unignoreLocalState } from "./gitignore.ts";
import { type Metadata, METADATA_PATH } from "./metadata.ts";

const HARNESS = ".harness";

type HookFiles = Pick<
  Files,
  "read" | "stat" | "realPath" | "makeFolder" | "writeAtomic" | "rename" | "remove"
>;

type RemoveHooks = (files: HookFiles) => Promise<readonly string[]>;

interface EjectRequest {
  readonly repo: GitRepo;
  /** Init's record; undefined when it is missing or damaged. */
  readonly metadata: Metadata | undefined;
  readonly removeHooks: RemoveHooks;
}

/** Keys, proposals and unchanged files of svc are not copied. */
function isWorthKeeping(path: string, sum: string, metadata: Metadata | undefined): boolean {
  if (path === METADATA_PATH || path.startsWith(`${HARNESS}/updates/`)) return false;
  if (path.startsWith(`${HARNESS}/.env`)) return false;
  return metadata?.files[path]?.sha256 !== sum;
}

/** @returns true when the folder ends up empty */
async function removeFolder(
  draft: PlanDraft,
  path: string,
  metadata: Metadata | undefined,
): Promise<boolean> {
  const { entries, more, skipped } = await draft.target.folder.list(path);
  let empty = more === 0 && skipped === 0;
  for (const { name, kind } of entries) {
    const at = `${path}/${name}`;
    if (kind === "folder") {
      empty = await removeFolder(draft, at, metadata) && empty;
      continue;
    }
    const now = await draft.plain(at);
    if (now === undefined) {
      empty = false;
      continue;
    }
    if (isWorthKeeping(at, now.sha256, metadata)) draft.backups.set(at, now.bytes);
    draft.remove(at, now);
  }
  if (empty) draft.removeFolder(path);
  else draft.keep(`${path}/`, "it is not empty then");
  return empty;
}

/** Files outside of `.harness/`; changed ones belong to the user. */
async function removeFiles(draft: PlanDraft, metadata: Metadata): Promise<void> {
  for (const [path, { sha256 }] of Object.entries(metadata.files)) {
    // The list lies in the repo: it must not name a file that svc never creates.
    if (path.startsWith(`${HARNESS}/`) || !isDefaultPath(path)) continue;
    const now = await draft.now(path);
    if (now === undefined) continue;
    if (isStrange(now)) draft.keep(path, now.strange);
    else if (now.sha256 === sha256) draft.remove(path, now);
    else draft.keep(path, "somebody edited it since");
  }
}

async function removeFolders(draft: PlanDraft, metadata: Metadata): Promise<void> {
  const going = new Set(draft.changes.map(({ path }) => path));
  for (const path of [...metadata.folders].reverse()) {
    if (path.startsWith(HARNESS) || !isDefaultPath(`${path}/`)) continue;
    if ((await draft.target.folder.stat(path))?.kind !== "folder") continue;
    const { entries, more, skipped } = await draft.target.folder.list(path);
    const leaves = entries.every(({ name, kind }) =>
      going.has(`${path}/${name}${kind === "folder" ? "/" : ""}`)
    );
    if (!leaves || more > 0 || skipped > 0) continue;
    draft.removeFolder(path);
    going.add(`${path}/`);
  }
}

const TICKETS = "docs/tickets";
const NAME = /^T-\d.*\.md$/;
/** svc's own commits to tickets (docs/decisions/0006). */
const OWN_COMMIT = /^chore\(tickets\): /;
const OWN_SOURCE = /^source:\s*["']?(?:scan|telemetry|scores|agent|webhook)\b/m;

/** Undefined for a ticket that svc wrote. */
async function whyNotOwn(draft: PlanDraft, path: string): Promise<string | undefined> {
  const { bytes } = await draft.target.folder.read(path, { maxBytes: FILE_READ_BYTES });
  const front = new TextDecoder().decode(bytes).split(/^---\s*$/m)[1] ?? "";
  return OWN_SOURCE.test(front) ? undefined : "a person wrote this ticket";
}

/** Undefined when only svc changed the file and git can restore it. */
function whyKept(subjects: readonly string[] | undefined): string | undefined {
  if (subjects === undefined) return "git does not have it yet";
  return subjects.every((subject) => OWN_COMMIT.test(subject))
    ? undefined
    : "somebody edited it since";
}

async function ticketPaths({ target: { folder } }: PlanDraft): Promise<string[]> {
  if ((await folder.stat(TICKETS))?.kind !== "folder") return [];
  const paths: string[] = [];
  for (const state of (await folder.list(TICKETS)).entries) {
    if (state.kind !== "folder") continue;
    const { entries } = await folder.list(`${TICKETS}/${state.name}`);
    const tickets = entries.filter(({ name, kind }) => kind === "file" && NAME.test(name));
    paths.push(...tickets.map(({ name }) => `${TICKETS}/${state.name}/${name}`));
  }
  return paths;
}

async function removeTickets(draft: PlanDraft, repo: GitRepo): Promise<void> {
  const paths = await ticketPaths(draft);
  if (paths.length === 0) return;
  const changed = new Set((await repo.status()).changes.map(({ path }) => path));
  const history = await repo.subjectsByPath(TICKETS);
  for (const path of paths) {
    const why = changed.has(path)
      ? "it has changes that are not committed"
      : await whyNotOwn(draft, path) ?? whyKept(history.get(path));
    const now = why === undefined ? await draft.plain(path) : undefined;
    if (now !== undefined) draft.remove(path, now);
    else draft.keep(path, why ?? "it is gone meanwhile");
  }
}

async function plainHook(draft: PlanDraft, path: string): Promise<Present> {
  const now = await draft.now(path);
  if (now !== undefined && !isStrange(now)) return now;
  throw new Failure("conflict", `Cannot edit the hook "${path}": ${now?.strange ?? "it is gone"}`);
}

/** Reads go through; each change becomes a step. */
function recorder(draft: PlanDraft, files: HookFiles): HookFiles {
  const replace = async (path: string, bytes: Uint8Array<ArrayBuffer>, from?: Present) => {
    const over = await plainHook(draft, path);
    const after = await versionOf(bytes, (from ?? over).mode);
    const before = { ...await versionOf(over.bytes, over.mode) };
    draft.steps.push({ kind: "file", path, before, after });
    draft.changes.push({ path, change: "edit" });
  };
  return {
    read: (path, options) => files.read(path, options),
    stat: (path) => files.stat(path),
    realPath: (path) => files.realPath(path),
    makeFolder: () => Promise.resolve(),
    async writeAtomic(path, content) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await replace(path, new Uint8Array(bytes));
    },
    async rename(from, to) {
      const moved = await plainHook(draft, from);
      await replace(to, moved.bytes, moved);
      draft.remove(from, moved);
    },
    async remove(path) {
      draft.remove(path, await plainHook(draft, path));
    },
  };
}

async function unhook(draft: PlanDraft, repo: GitRepo, remove: RemoveHooks): Promise<void> {
  try {
    await remove(recorder(draft, draft.target.files));
  } catch (thrown) {
    if (!(thrown instanceof Failure && thrown.code === "conflict")) throw thrown;
    // install-hooks also refuses a hooks folder that serves other repos.
    if (thrown.message.startsWith("Cannot edit")) {
      draft.keep(`${repo.commonDir}/hooks`, thrown.message);
    }
  }
}

export async function planEject(target: PlanTarget, asked: EjectRequest): Promise<PlanDraft> {
  const draft = new PlanDraft(target);
  const { metadata, repo, removeHooks } = asked;
  if (metadata !== undefined) await removeFiles(draft, metadata);
  await removeTickets(draft, repo);
  await unignoreLocalState(draft, metadata?.gitignore ?? "none");
  await formatAgain(draft);
  const facts = await target.folder.stat(HARNESS);
  if (facts?.kind === "folder") await removeFolder(draft, HARNESS, metadata);
  else if (facts !== undefined) draft.keep(HARNESS, `it is a ${facts.kind}`);
  if (metadata !== undefined) await removeFolders(draft, metadata);
  await unhook(draft, repo, removeHooks);
  return draft;
}

/** Work of roles may be nowhere else, so it stays; with the database goes all that knows of it. */
export async function nameWork(
  draft: PlanDraft,
  { repo, worktrees, below }: {
    readonly repo: GitRepo;
    readonly worktrees: Pick<Worktrees, "list" | "branches" | "jobsWithLeftovers">;
    /** The folder of svc's work trees, a real path; undefined where there is none. */
    readonly below: string | undefined;
  },
): Promise<void> {
  for (const { path } of below === undefined ? [] : await worktrees.list(repo)) {
    if (!path.startsWith(`${below}/`)) continue;
    draft.keep(path, "a work tree of a role; git worktree remove takes it away");
  }
  for (const { name } of await worktrees.branches(repo)) {
    draft.keep(name, "a branch of a role, maybe the only copy; git branch -D takes it away");
  }
  for (const job of await worktrees.jobsWithLeftovers(repo)) {
    const why = "what a job had not committed; git update-ref -d takes it away";
    draft.keep(`refs/svc/leftovers/${job}`, why);
  }
}

/** What set-ups made and is kept for the repo's next work tree: no other repo gets it. */
export async function dropPool(
  draft: DropDraft,
  { repo, files, below }: {
    readonly repo: string;
    readonly files: Pick<Files, "stat">;
    readonly below: string | undefined;
  },
): Promise<void> {
  const name = repo.slice(repo.lastIndexOf("/") + 1);
  const folder = `${below}/${POOL}/${name}-${await repoId(repo)}`;
  if (below === undefined || (await files.stat(folder))?.kind !== "folder") return;
  draft.drops.push(folder);
  draft.changes.push({ path: `${folder}/`, change: "remove" });
}

/** @throws Failure `refused` unless `confirm` is the repo's name */
export function checkConfirmed(name: string, confirm: string | undefined): void {
  if (confirm === name) return;
  const given = confirm === undefined ? "is missing" : `gives ${JSON.stringify(confirm)}`;
  throw new Failure("refused", `Cannot eject: --confirm ${given}; the repo is "${name}"`, {
    remedy: `svc eject --apply --confirm ${shellWord(name)}`,
  });
}
