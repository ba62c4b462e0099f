/** One repo, open: its work tree, what is registered of it, its manifest and its tickets. */
import { nameOf } from "svc/core/path_parts.ts";
import { Failure } from "svc/core/failure.ts";
import { repoId } from "svc/core/ids.ts";
import { manifestIn } from "svc/features/harness/manifest.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest, ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { roleNamed } from "svc/features/harness/role_named.ts";
import { ticketsOf } from "svc/features/tickets/tickets.ts";
import { type Checkout, type CheckoutPorts, openCheckout } from "svc/platform/git/checkout.ts";
import type { RepoFacts } from "./repo_store.ts";

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
  /** `owner/repo`. */
  readonly remote: string | null;
  readonly tickets: ReturnType<typeof ticketsOf>;
  manifest(): Promise<ManifestReading>;
  /** @throws Failure `not_found`; `conflict` while the present manifest does not count */
  role(name: string): Promise<ManifestRole>;
  /** Why its tickets cannot be moved now, as a phrase to follow "it waits for". */
  branchFault(): Promise<string | undefined>;
  reopen(signal: AbortSignal): Promise<Repo>;
}

interface OpenRepoOptions {
  readonly signal: AbortSignal;
  /** Used where the repo never had a manifest that counts. */
  readonly standIn?: Manifest;
}

/** Opens repos and remembers the last good manifest of each. */
export class RepoOpener {
  readonly #ports: CheckoutPorts;
  readonly #good = new Map<string, Manifest>();

  constructor({ git, folder, readTree, files, clock, commits, lockRepo }: CheckoutPorts) {
    this.#ports = { git, folder, readTree, files, clock, commits, lockRepo };
  }

  async open(facts: RepoFacts, options: OpenRepoOptions): Promise<Repo> {
    const { signal } = options;
    return this.#over(await openCheckout({ ...this.#ports, signal }, facts.path), facts, options);
  }

  /** Opens the repo that `path` is in, registered or not. @throws Failure as `Git.open` */
  async openAt(path: string, options: OpenRepoOptions): Promise<Repo> {
    const { signal, standIn } = options;
    const checkout = await openCheckout({ ...this.#ports, signal }, path);
    const { root, git } = checkout;
    const branch = git.branch ?? standIn?.project.default_branch ?? "main";
    const facts = { id: await repoId(root), path: root, branch, remote: null };
    return this.#over(checkout, facts, options);
  }

  #over(checkout: Checkout, facts: RepoFacts, options: OpenRepoOptions): Repo {
    const { root } = checkout;
    const { id, branch: baseBranch, remote } = facts;
    const manifest = () => this.#read(root, () => manifestIn(checkout.folder), options.standIn);
    return {
      ...checkout,
      id,
      name: nameOf(root) || "root",
      baseBranch,
      remote,
      tickets: ticketsOf(checkout),
      manifest,
      role: async (name) => roleIn(root, await manifest(), name),
      branchFault: async () => branchFault(await checkout.branch(), baseBranch),
      reopen: (signal) => this.open(facts, { ...options, signal }),
    };
  }

  /** Reads it without opening git, since schedules and status look many times a minute. */
  manifestAt(root: string): Promise<ManifestReading> {
    return this.#read(root, async () => {
      using folder = await this.#ports.folder(root);
      return await manifestIn(folder);
    });
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
        problem: absent ? `there is no ${MANIFEST_PATH}` : undefined,
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
    remedy: `svc doctor --repo "${root}"`,
  });
}

function branchFault(on: string | undefined, baseBranch: string): string | undefined {
  if (on === baseBranch) return undefined;
  return on === undefined
    ? `"${baseBranch}" to be checked out: HEAD is on no branch`
    : `"${baseBranch}" to be checked out: "${on}" is`;
}
