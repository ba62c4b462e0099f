/** Opens a repo's tools and database in a Worker, for `tools run` and MCP. */
import { uuidV7 } from "svc/core/ids.ts";
import type { Profile, TrustLevel } from "svc/core/permission.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { ticketTrust } from "svc/runtime/job/source_trust.ts";
import { repoAt } from "svc/features/repos/repo_store.ts";
import type { Home } from "svc/platform/home.ts";
import type { PreparationPorts } from "svc/runtime/ports.ts";
import { manifestIn } from "svc/features/harness/manifest.ts";
import { registeredPlace } from "svc/features/repos/remote_place.ts";
import { type Repo, RepoOpener } from "svc/features/repos/repo.ts";
import { openStore, type StorePorts } from "svc/store/open.ts";
import type { Db } from "svc/store/schema.ts";
import { openSession, type Session } from "./session.ts";

interface RepoSessionRequest {
  /** A folder in the repo; absolute. */
  readonly repo: string;
  /** Real path. */
  readonly database: string;
  role(manifest: Manifest | undefined): string | undefined;
  readonly trust?: TrustLevel;
  readonly profile: Exclude<Profile, "isolated">;
  readonly byHand?: boolean;
  readonly servers?: boolean;
  /** The trust in its author limits the session. */
  readonly ticket?: string | undefined;
}

interface RepoSession extends Pick<Session, "servers" | "toolbox" | "tools">, AsyncDisposable {
  /** Real path. */
  readonly root: string;
  readonly manifest: Manifest | undefined;
  readonly role: string | undefined;
  readonly id: string;
}

/** @throws Failure as `openSession`, `openStore` and `manifestIn` */
export async function openRepoSession(
  ports: PreparationPorts,
  { repo, database, ticket, ...request }: RepoSessionRequest,
): Promise<RepoSession> {
  await using held = new AsyncDisposableStack();
  const { signal } = ports;
  const opened = held.use(await new RepoOpener(ports).openAt(repo, { signal }));
  const { root } = opened;
  const manifest = await manifestIn(opened.folder);
  const role = request.role(manifest);
  const store = held.use(await openStore(ports, database));
  const id = uuidV7(ports.clock.now());
  const session = await openSession({ ...ports, db: store.db }, {
    ...request,
    repo: opened,
    manifest,
    role,
    job: id,
    remote: await placeIn(ports, store.db, opened),
    signal,
    ...(ticket !== undefined && { ticket, sourceTrust: () => ticketTrust(opened, ticket) }),
  });
  const { toolbox, tools, servers } = held.use(session);
  const parts = held.move();
  return {
    toolbox,
    tools,
    servers,
    root,
    manifest,
    role,
    id,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/**
 * Where to push: as a person registered it in this database or the shared one, never as the
 * repo's own settings say.
 */
async function placeIn(
  ports: StorePorts & { readonly home: Pick<Home, "sharedDb"> },
  db: Db,
  { root, git }: Pick<Repo, "root" | "git">,
): Promise<Repo["place"]> {
  const here = await repoAt(db, root);
  if (here !== undefined) return await registeredPlace(git, here);
  const path = `${ports.home.sharedDb}/svc.db`;
  if ((await ports.files.stat(path))?.kind !== "file") return undefined;
  await using store = await openStore(ports, path);
  const shared = await repoAt(store.db, root);
  return shared && await registeredPlace(git, shared);
}
