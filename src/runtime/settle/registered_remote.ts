/** Where a repo's branches are pushed to: what a person registered, never what the repo says. */
import { repoAt } from "svc/features/repos/repo_store.ts";
import type { Home } from "svc/platform/home.ts";
import { openStore, type StorePorts } from "svc/store/open.ts";
import type { Db } from "svc/store/schema.ts";

/** `owner/repo`; looked for in the database at hand, then in the one of all registered repos. */
export async function remoteOf(
  ports: StorePorts & { readonly home: Pick<Home, "sharedDb"> },
  db: Db,
  root: string,
): Promise<string | undefined> {
  const here = await repoAt(db, root);
  if (here !== undefined) return here.remote ?? undefined;
  const path = `${ports.home.sharedDb}/svc.db`;
  if ((await ports.files.stat(path))?.kind !== "file") return undefined;
  await using store = await openStore(ports, path);
  return (await repoAt(store.db, root))?.remote ?? undefined;
}
