/** Checks for everything that would make a start or a run fail, before a harness is written for it. */
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { roleNamed } from "svc/features/harness/role_named.ts";
import { openFollowed } from "svc/features/repos/follow_move.ts";
import { type Repo, RepoOpener } from "svc/features/repos/repo.ts";
import { workedOnIn } from "svc/features/repos/registered_here.ts";
import type { OwnerPorts, PreparationPorts } from "svc/runtime/ports.ts";
import { earlierRun } from "svc/runtime/run/earlier_run.ts";
import { ticketFor } from "svc/runtime/run/pick_ticket.ts";
import { askModels } from "./begin_start.ts";
import { gatherStartFacts, type StartFlags } from "./facts.ts";
import { planStart } from "./plan.ts";
import { bundledHarness } from "./scaffold.ts";

type LookPorts = PreparationPorts & Pick<OwnerPorts, "identities">;

interface Place {
  readonly root: string;
  readonly db: string | undefined;
  readonly modelEndpoint: string | undefined;
  asks(what: string): void;
}

interface RunArguments {
  readonly role: string;
  readonly ticket: string | undefined;
  readonly task: string | undefined;
  readonly resume: string | undefined;
}

/** Opens the repo as it will be with the harness that it gets. */
async function openWith(
  ports: LookPorts,
  { root }: Place,
  db?: OwnerPorts["db"],
): Promise<{ readonly repo: Repo; readonly manifest: Manifest }> {
  const { signal } = ports;
  const git = await ports.git.open(root, { signal });
  const { manifest } = bundledHarness({ root, branch: git.branch ?? "main" });
  const opener = new RepoOpener({ ...ports, db });
  const row = db && await workedOnIn(db, git);
  const options = { signal, standIn: manifest };
  const repo = await (row ? opener.open(row, options) : opener.openAt(root, options));
  return { repo, manifest };
}

/** @throws Failure as the start would; the database may have been made by then */
export async function lookBeforeStart(
  ports: LookPorts,
  place: Place & { readonly flags: StartFlags; readonly otherStart: string | undefined },
): Promise<void> {
  const { root, db, flags, otherStart } = place;
  await using store = await openFollowed(ports, { repo: root, db });
  const owner: OwnerPorts = { ...ports, db: store.db, profile: "host" };
  const { repo, manifest } = await openWith(ports, place, store.db);
  using _repo = repo;
  const asked = { flags, ...(otherStart !== undefined && { otherStart }) };
  const { refusal } = planStart(await gatherStartFacts(owner, repo, asked));
  if (refusal !== undefined) throw refusal;
  await askModels(owner, repo, manifest, place);
}

/** @throws Failure as the run would; the database may have been made by then */
export async function lookBeforeRun(
  ports: LookPorts,
  place: Place & RunArguments,
): Promise<void> {
  const { root, db, role, ticket, task, resume } = place;
  {
    const { repo, manifest } = await openWith(ports, place);
    using _repo = repo;
    const definition = roleNamed(manifest, role, "usage");
    if (resume === undefined) await ticketFor({ repo, definition }, { role, ticket, task });
  }
  await using store = await openFollowed(ports, { repo: root, db });
  const { repo, manifest } = await openWith(ports, place, store.db);
  using _repo = repo;
  const owner: OwnerPorts = { ...ports, db: store.db, profile: "host" };
  if (resume !== undefined) await earlierRun(owner, repo, role, resume);
  const definition = roleNamed(manifest, role, "usage");
  await askModels(owner, repo, { roles: { [role]: definition } }, place);
}
