/** One repo, open: its work tree, what is registered of it, its manifest and its tickets. */
import { shellWord } from "svc/core/shell_word.ts";
import { nameOf } from "svc/core/path_parts.ts";
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import { manifestIn } from "svc/features/harness/manifest.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest, ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { roleNamed } from "svc/features/harness/role_named.ts";
import { ticketsOf } from "svc/features/tickets/tickets.ts";
import { type Checkout, type CheckoutPorts, openCheckout } from "svc/platform/git/checkout.ts";
import { databasePath } from "svc/store/database_path.ts";
import type { OwnNode } from "svc/features/nodes/own_node.ts";
import type { Remotes } from "svc/platform/git/remotes.ts";
import type { Db } from "svc/store/schema.ts";
import { type BranchFault, branchFault, hasBranch } from "./branch_fault.ts";
import { registeredPlace } from "./remote_place.ts";
import type { RepoFacts } from "./repo_store.ts";
import type { RegisteredRepo } from "./repo_table.ts";
import { type SharedRepo, shareRepo } from "./shared_repo.ts";

/** The problem of a repo that never had a harness; any other says that its manifest cannot be read. */
export const NO_MANIFEST = `there is no ${MANIFEST_PATH}`;

export interface ManifestReading {
  /** The last good one. */
  readonly manifest: Manifest | undefined;
  readonly problem: string | undefined;
}

/** A registered repo, or one that could be registered so. */
export interface Repo extends Checkout {
  readonly id: string;
  readonly name: string;
  /** The registered branch, which takes the work. */
  readonly baseBranch: string;
  /** Where its work is pushed to; no host where none is known for sure. */
  readonly place: { readonly host: string | undefined; readonly remote: string } | undefined;
  readonly tickets: ReturnType<typeof ticketsOf>;
  manifest(): Promise<ManifestReading>;
  /** @throws Failure `not_found`; `conflict` while the present manifest does not count */
  role(name: string): Promise<ManifestRole>;
  /** Why its tickets cannot be moved now. */
  branchFault(): Promise<BranchFault | undefined>;
  reopen(signal: AbortSignal): Promise<Repo>;
  /** Set where the repo is registered by a URL, and nodes work on clones. */
  readonly shared?: SharedRepo;
}

interface OpenRepoOptions {
  readonly signal: AbortSignal;
  /** Used where the repo never had a manifest that counts. */
  readonly standIn?: Manifest;
}

export interface OpenerPorts extends CheckoutPorts {
  readonly db?: Db | undefined;
  readonly remotes?: Remotes;
  readonly node?: OwnNode;
}

/** Opens repos and remembers the last good manifest of each. */
export class RepoOpener {
  readonly #ports: CheckoutPorts;
  readonly #db: Db | undefined;
  readonly #remotes: Remotes | undefined;
  readonly #node: OwnNode | undefined;
  readonly #good = new Map<string, Manifest>();

  /** @param ports `db` holds the registrations, and is named where one is to be mended */
  constructor(ports: OpenerPorts) {
    const { git, folder, readTree, files, clock, commits, lockRepo, db, remotes, node } = ports;
    this.#ports = { git, folder, readTree, files, clock, commits, lockRepo };
    this.#db = db;
    this.#remotes = remotes;
    this.#node = node;
  }

  /** Clones what is registered by a URL and lies here no more, or not yet. */
  async open(facts: RepoFacts, options: OpenRepoOptions): Promise<Repo> {
    const { signal } = options;
    const { id, branch, url = null } = facts;
    const [db, remotes] = [this.#db, this.#remotes];
    if (url === null || db === undefined || remotes === undefined) {
      const checkout = await openCheckout({ ...this.#ports, signal }, facts.path);
      const place = await registeredPlace(checkout.git, facts);
      return this.#over(checkout, facts, { ...options, place });
    }
    const remote = { id, url, branch };
    const checkout = await openCheckout({ ...this.#ports, signal }, await remotes.clone(remote));
    const shared = shareRepo({ db, remotes, node: this.#node }, checkout, remote);
    const { locked } = shared;
    const place = await registeredPlace(checkout.git, facts);
    return { ...this.#over({ ...checkout, locked }, facts, { ...options, place }), shared };
  }

  /** Opens the repo that `path` is in, registered or not. @throws Failure as `Git.open` */
  async openAt(path: string, options: OpenRepoOptions): Promise<Repo> {
    const { signal, standIn } = options;
    const checkout = await openCheckout({ ...this.#ports, signal }, path);
    const { root, git } = checkout;
    const branch = git.branch ?? standIn?.project.default_branch ?? "main";
    const facts = { id: await repoId(root), path: root, branch, remote: null, host: null };
    return this.#over(checkout, facts, { ...options, place: undefined });
  }

  #over(
    checkout: Checkout,
    facts: RepoFacts,
    { place, ...options }: OpenRepoOptions & Pick<Repo, "place">,
  ): Repo {
    const { root } = checkout;
    const { id, branch: baseBranch } = facts;
    const manifest = () => this.#read(root, () => manifestIn(checkout.folder), options.standIn);
    return {
      ...checkout,
      id,
      name: nameOf(root) || "root",
      baseBranch,
      place,
      tickets: ticketsOf(checkout),
      manifest,
      role: async (name) => roleIn(root, await manifest(), name),
      branchFault: () => this.#branchFault(checkout, baseBranch),
      reopen: (signal) => this.open(facts, { ...options, signal }),
    };
  }

  async #branchFault(
    { root, git }: Checkout,
    branch: string,
  ): Promise<BranchFault | undefined> {
    const on = await git.branchNow();
    if (on === branch) return undefined;
    const gone = !await hasBranch(git, branch);
    const database = gone && this.#db ? await databasePath(this.#db) : undefined;
    return branchFault({ root, branch, on, gone, database });
  }

  /** Reads it without opening git, since schedules and status look many times a minute. */
  manifestAt(root: string): Promise<ManifestReading> {
    return this.#read(root, async () => {
      using folder = await this.#ports.folder(root);
      return await manifestIn(folder);
    });
  }

  /** Opens git only for a registration that kept no host. */
  async hostAt(facts: RegisteredRepo): Promise<string | undefined> {
    if (facts.host !== null || facts.remote === null) return facts.host ?? undefined;
    return (await registeredPlace(await this.#ports.git.open(facts.path), facts))?.host;
  }

  async #read(
    root: string,
    read: () => Promise<Manifest | undefined>,
    standIn?: Manifest,
  ): Promise<ManifestReading> {
    try {
      const manifest = await read();
      if (manifest !== undefined) this.#good.set(root, manifest);
      const absent = manifest === undefined && standIn === undefined;
      return {
        manifest: manifest ?? standIn,
        problem: absent ? NO_MANIFEST : undefined,
      };
    } catch (thrown) {
      const { code, message } = Failure.from(thrown);
      if (code === "internal" || code === "interrupted") throw thrown;
      return { manifest: this.#good.get(root) ?? standIn, problem: message };
    }
  }
}

function roleIn(root: string, { manifest, problem }: ManifestReading, name: string): ManifestRole {
  if (manifest !== undefined && problem === undefined) return roleNamed(manifest, name);
  throw new Failure("conflict", `Cannot find role "${name}" of "${root}": ${problem}`, {
    remedy: `svc doctor --repo ${shellWord(root)}`,
  });
}
