/** Follows a repo that was moved or renamed: its registration, jobs and scores stay with it. */
import { repoId } from "svc/core/ids.ts";
import { gitDirMark } from "svc/platform/git/place.ts";
import { noteGitDir } from "svc/store/meta_store.ts";
import {
  adoptDatabase,
  findMoved,
  moveDatabase,
  type MovedDatabase,
} from "svc/store/moved_database.ts";
import type { Store } from "svc/store/open.ts";
import { type DatabaseChoice, openScoped, type PlacementPorts } from "svc/store/placement.ts";
import { repoAt, updateRepo } from "./repo_store.ts";

/**
 * Where it was registered, and nothing lies any more, although its git folder is the very one of then. A copy is no
 * moved repo: its folder is another.
 */
export async function movedFrom(
  ports: Pick<PlacementPorts, "files" | "home">,
  { repo, db }: DatabaseChoice,
): Promise<MovedDatabase | undefined> {
  const mark = gitDirMark(repo);
  return mark === undefined ? undefined : await findMoved(ports, { repo, db, mark });
}

/** @returns where the repo was; undefined where nothing had moved
 * @throws Failure `conflict` while a start of the old place runs */
async function followMove(
  ports: PlacementPorts,
  { repo: root, db }: DatabaseChoice,
): Promise<string | undefined> {
  const mark = gitDirMark(root);
  const moved = mark && await findMoved(ports, { repo: root, db, mark });
  if (!moved) return undefined;
  const { from } = moved;
  const now = ports.clock.now();
  await adoptDatabase(ports, moved, { to: root, mark }, async (tx) => {
    const row = await repoAt(tx, from);
    if (row === undefined) return;
    const { remote, branch, host } = row;
    const facts = { id: await repoId(root), path: root, remote, branch, host };
    await updateRepo(tx, row.id, facts, now);
  });
  if (db === undefined) await moveDatabase(ports, moved, root);
  return from === root ? undefined : from;
}

/** The repo's own database, or that of `--db`, where the repo lies now. @throws Failure as `openScoped` */
export async function openFollowed(
  ports: PlacementPorts,
  choice: DatabaseChoice,
  followed: (from: string) => void = () => {},
): Promise<Store> {
  const from = await followMove(ports, choice);
  if (from !== undefined) followed(from);
  const store = await openScoped(ports, choice);
  const mark = gitDirMark(choice.repo);
  // Again each time: an older svc noted none, and a repo may be cloned anew at its place.
  if (mark !== undefined) await noteGitDir(store.db, choice.repo, mark);
  return store;
}
