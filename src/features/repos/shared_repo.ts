/** A repo that several nodes work on: its remote is the truth. What svc commits on the registered branch is made on the
 * remote's tip and pushed under the repo's lease, or it never was. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { OwnNode } from "svc/features/nodes/own_node.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import type { RemoteRepo, Remotes } from "svc/platform/git/remotes.ts";
import type { Db } from "svc/store/schema.ts";
import {
  giveBackRepoLease,
  holderOfRepo,
  type LeaseTaken,
  renewRepoLease,
  takeRepoLease,
} from "./lease_store.ts";

/** Longer than a dead node's lease lasts. */
const LEASE_WAIT_MS = 45_000;
const LEASE_LOOK_MS = 200;

/** How often work is done again because somebody else pushed meanwhile. */
const TRIES = 5;

export interface SharingPorts {
  readonly db: Db;
  readonly remotes: Remotes;
  readonly node?: OwnNode | undefined;
}

export interface SharedRepo {
  readonly remote: RemoteRepo;
  /** Fetches, and brings the checkout to what the remote has. @throws Failure that `waits` */
  refresh(): Promise<void>;
  /** No other node settles anything in the repo while `work` runs. @throws Failure that `waits` */
  held<T>(doing: string, work: () => Promise<T>): Promise<T>;
  /** As `Checkout.locked`: `work` is done on the remote's tip, once more where somebody else was faster, and what it
   * commits is pushed or undone. @throws Failure that `waits` */
  readonly locked: Checkout["locked"];
}

class Sharing implements SharedRepo {
  #taken: Promise<LeaseTaken> | undefined;
  #users = 0;

  constructor(
    readonly ports: SharingPorts,
    readonly checkout: Checkout,
    readonly remote: RemoteRepo,
  ) {}

  readonly locked: Checkout["locked"] = (doing, work, until) =>
    this.#withLease(doing, (lease) => this.#lockedUnder(lease, doing, work, until));

  held<T>(doing: string, work: () => Promise<T>): Promise<T> {
    return this.#withLease(doing, work);
  }

  async refresh(): Promise<void> {
    const { git, folder, commits } = this.checkout;
    using _lock = await this.checkout.lock(`fetch from ${quoted(this.remote.url)}`);
    await commits.recover(git, folder);
    await this.#fresh();
  }

  /** Calls on one opened repo share a lease. */
  async #withLease<T>(doing: string, work: (lease: LeaseTaken) => Promise<T>): Promise<T> {
    const taken = this.#taken ??= this.#take(doing);
    this.#users++;
    try {
      return await work(await taken);
    } finally {
      if (--this.#users === 0) {
        this.#taken = undefined;
        // Otherwise it runs out.
        await taken.then((lease) => giveBackRepoLease(this.ports.db, lease)).catch(() => {});
      }
    }
  }

  async #take(doing: string): Promise<LeaseTaken> {
    const { db, node } = this.ports;
    const { clock, signal } = this.checkout;
    const owner = crypto.randomUUID();
    const asked = { repo_id: this.remote.id, owner, node_id: node?.id ?? null };
    const deadline = clock.monotonic() + LEASE_WAIT_MS;
    for (;;) {
      const lease = await takeRepoLease(db, asked, clock.now());
      if (lease !== undefined) return lease;
      if (clock.monotonic() >= deadline) break;
      await clock.sleep(LEASE_LOOK_MS, signal);
      signal.throwIfAborted();
    }
    const who = await holderOfRepo(db, this.remote.id);
    throw new Failure("conflict", `Cannot ${doing}: ${who} pushes to ${quoted(this.remote.url)}`, {
      remedy: "Wait until it is done",
      waits: true,
    });
  }

  async #lockedUnder<T>(
    lease: LeaseTaken,
    doing: string,
    work: () => Promise<T>,
    until?: AbortSignal,
  ): Promise<T> {
    const { checkout } = this;
    using _lock = await checkout.lock(doing, until);
    await checkout.commits.recover(checkout.git, checkout.folder);
    for (let tries = 1; tries <= TRIES; tries++) {
      const before = await this.#fresh();
      const done = await this.#orUndone(before, async () => {
        const value = await work();
        return { value, landed: await this.#land(lease, doing, before) };
      });
      if (done.landed) return done.value;
    }
    const why = `somebody else pushed to ${quoted(this.remote.branch)} ${TRIES} times meanwhile`;
    throw new Failure("conflict", `Cannot ${doing}: ${why}`, {
      remedy: "Try again later",
      waits: true,
    });
  }

  /** What is not pushed must not stay: another node would never see it. */
  async #orUndone<T extends { readonly landed: boolean }>(
    before: string,
    work: () => Promise<T>,
  ): Promise<T> {
    let landed = false;
    try {
      const done = await work();
      landed = done.landed;
      return done;
    } finally {
      if (!landed && await this.#tip() !== before) await this.#reset(before);
    }
  }

  /** @returns false where the remote has moved on */
  async #land(lease: LeaseTaken, doing: string, before: string): Promise<boolean> {
    if (await this.#tip() === before) return true;
    const { db, remotes } = this.ports;
    const { clock, git } = this.checkout;
    if (!await renewRepoLease(db, lease, clock.now())) {
      const who = await holderOfRepo(db, this.remote.id);
      throw new Failure("conflict", `Cannot ${doing}: the lease of the repo went to ${who}`, {
        remedy: "Try again: what was not pushed is undone here",
        waits: true,
      });
    }
    return await remotes.land(git, this.remote, before);
  }

  #tip(): Promise<string | undefined> {
    return this.checkout.commits.tip(this.checkout.git);
  }

  #reset(commit: string): Promise<void> {
    return this.ports.remotes.reset(this.checkout.git, { branch: this.remote.branch, commit });
  }

  /** Call it with the lock. @returns the remote's tip, which is checked out now */
  async #fresh(): Promise<string> {
    const { git } = this.checkout;
    const tip = await this.ports.remotes.fetch(git, this.remote);
    const same = await this.#tip() === tip && await git.branchNow() === this.remote.branch;
    if (!same) await this.#reset(tip);
    return tip;
  }
}

export const shareRepo = (
  ports: SharingPorts,
  checkout: Checkout,
  remote: RemoteRepo,
): SharedRepo => new Sharing(ports, checkout, remote);
