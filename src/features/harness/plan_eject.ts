/** Plans `eject`: exactly what svc created and nobody changed since, and all of `.harness/`. */
import { Failure } from "svc/core/failure.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { isStrange } from "svc/platform/files/journal_target.ts";
import { isDefaultPath } from "./defaults.ts";
import { Draft, type Yard } from "./draft.ts";
import { unignoreLocalState } from "./gitignore.ts";
import { type Metadata, METADATA_PATH } from "./metadata.ts";
import { removeTickets } from "./plan_tickets.ts";
import { type RemoveHooks, unhook } from "./unhook.ts";

const HARNESS = ".harness";

export interface EjectAsked {
  readonly repo: GitRepo;
  /** What init wrote down; undefined when it is gone or damaged. */
  readonly metadata: Metadata | undefined;
  readonly removeHooks: RemoveHooks;
}

/** Keys and proposals are never copied; what svc wrote and nobody changed need not be. */
function isWorthKeeping(path: string, sum: string, metadata: Metadata | undefined): boolean {
  if (path === METADATA_PATH || path.startsWith(`${HARNESS}/updates/`)) return false;
  if (path.startsWith(`${HARNESS}/.env`)) return false;
  return metadata?.files[path]?.sha256 !== sum;
}

/** @returns true when nothing of the folder is left */
async function removeFolder(
  draft: Draft,
  path: string,
  metadata: Metadata | undefined,
): Promise<boolean> {
  const { entries, more, skipped } = await draft.ground.folder.list(path);
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

/** Outside of `.harness/`, where what people changed is theirs. */
async function removeFiles(draft: Draft, metadata: Metadata): Promise<void> {
  for (const [path, { sha256 }] of Object.entries(metadata.files)) {
    // The list lies in the repo: it may name no file that svc never creates.
    if (path.startsWith(`${HARNESS}/`) || !isDefaultPath(path)) continue;
    const now = await draft.now(path);
    if (now === undefined) continue;
    if (isStrange(now)) draft.keep(path, now.strange);
    else if (now.sha256 === sha256) draft.remove(path, now);
    else draft.keep(path, "somebody edited it since");
  }
}

/** Folders that init made, when all they hold goes. */
async function removeFolders(draft: Draft, metadata: Metadata): Promise<void> {
  const going = new Set(draft.changes.map(({ path }) => path));
  for (const path of [...metadata.folders].reverse()) {
    if (path.startsWith(HARNESS) || !isDefaultPath(`${path}/`)) continue;
    if ((await draft.ground.folder.stat(path))?.kind !== "folder") continue;
    const { entries, more, skipped } = await draft.ground.folder.list(path);
    const leaves = entries.every(({ name, kind }) =>
      going.has(`${path}/${name}${kind === "folder" ? "/" : ""}`)
    );
    if (!leaves || more > 0 || skipped > 0) continue;
    draft.removeFolder(path);
    going.add(`${path}/`);
  }
}

export async function planEject(ground: Yard, asked: EjectAsked): Promise<Draft> {
  const draft = new Draft(ground);
  const { metadata, repo, removeHooks } = asked;
  if (metadata !== undefined) await removeFiles(draft, metadata);
  await removeTickets(draft, repo);
  await unignoreLocalState(draft, metadata?.gitignore ?? "none");
  const facts = await ground.folder.stat(HARNESS);
  if (facts?.kind === "folder") await removeFolder(draft, HARNESS, metadata);
  else if (facts !== undefined) draft.keep(HARNESS, `it is a ${facts.kind}`);
  if (metadata !== undefined) await removeFolders(draft, metadata);
  await unhook(draft, repo, removeHooks);
  return draft;
}

/** @throws Failure `refused` unless `confirm` is the repo's name */
export function checkConfirmed(name: string, confirm: string | undefined): void {
  if (confirm === name) return;
  const given = confirm === undefined ? "is missing" : `gives ${JSON.stringify(confirm)}`;
  throw new Failure("refused", `Cannot eject: --confirm ${given}; the repo is "${name}"`, {
    remedy: `svc eject --apply --confirm ${JSON.stringify(name)}`,
  });
}
