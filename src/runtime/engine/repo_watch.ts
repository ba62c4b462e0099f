/**
 * The repos that an engine works on. The list is read again each time; a repo that fails never stops the
 * others.
 */
import { Failure } from "svc/core/failure.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { type Repo, RepoOpener } from "svc/features/repos/repo.ts";
import type { EnginePlan, EnginePorts } from "./engine_plan.ts";

/** Pushes of people are noticed by the next round after this time. */
const ROUND_FRESH_MS = 30_000;

export class RepoWatch {
  readonly #repos: EnginePlan["repos"];
  readonly #ports: EnginePorts;
  readonly #opener: RepoOpener;
  readonly #changed: (root: string, problem: string | undefined) => void;
  readonly #problems = new Map<string, string>();
  readonly #recovered = new Set<string>();
  /** Ids of repos that a round has seen. */
  #seen: Set<string> | undefined;
  /** Monotonic ms, by the repo's id. */
  readonly #fetched = new Map<string, number>();

  constructor(
    { ports, repos }: Pick<EnginePlan, "ports" | "repos">,
    changed: (root: string, problem: string | undefined) => void,
  ) {
    this.#repos = repos;
    this.#ports = ports;
    this.#opener = new RepoOpener(ports);
    this.#changed = changed;
  }

  get problems(): EngineProblem[] {
    return [...this.#problems].map(([repo, why]) => ({ repo, why }))
      .sort((a, b) => a.repo.localeCompare(b.repo));
  }

  all(): Promise<readonly RegisteredRepo[]> {
    return this.#repos();
  }

  /**
   * Opens the repo, for the caller to dispose, and finishes a commit that was killed in it.
   * @param freshMs how long ago its remote may have been fetched from, where it is registered by a URL
   * @returns a text that says why nothing can be done in it
   */
  async ready(
    row: RegisteredRepo,
    signal: AbortSignal,
    freshMs = ROUND_FRESH_MS,
  ): Promise<ReadyRepo | string> {
    const found = await this.#look(row, signal, freshMs).catch((thrown) => {
      signal.throwIfAborted();
      const failure = Failure.from(thrown);
      if (failure.code === "internal") {
        this.#ports.log.write("error", failure.message, { repo: row.path, cause: thrown });
      }
      // The remedy of a remote's failure says what to look at; other remedies may name flags of a command that
      // nobody gave.
      const { message, detail: { remedy, waits } } = failure;
      return waits && remedy !== undefined ? `${message}; ${remedy}` : message;
    });
    // Work goes on with the last good manifest, and the fault of the present one is shown.
    const problem = typeof found === "string" ? found : found.problem;
    if (this.#problems.get(row.path) !== problem) {
      if (problem === undefined) this.#problems.delete(row.path);
      else this.#problems.set(row.path, problem);
      this.#changed(row.path, problem);
    }
    return found;
  }

  /**
   * Looks at folders that came since the last call, so that it is told at once whether they can be worked on, and
   * forgets the faults of repos that are not registered any more.
   */
  async greet(rows: readonly RegisteredRepo[], signal: AbortSignal): Promise<void> {
    const paths = new Set(rows.map(({ path }) => path));
    for (const path of this.#problems.keys()) if (!paths.has(path)) this.#problems.delete(path);
    const before = this.#seen;
    this.#seen = new Set(rows.map(({ id }) => id));
    if (before === undefined) return;
    for (const row of rows.filter(({ id, url }) => url === null && !before.has(id))) {
      const ready = await this.ready(row, signal);
      if (typeof ready !== "string") ready.repo[Symbol.dispose]();
    }
  }

  async #look(
    row: RegisteredRepo,
    signal: AbortSignal,
    freshMs: number,
  ): Promise<ReadyRepo | string> {
    using opened = new DisposableStack();
    const repo = opened.use(await this.#opener.open(row, { signal }));
    await this.#refresh(repo, freshMs);
    const { manifest, problem } = await repo.manifest();
    if (manifest === undefined) return problem ?? "it has no manifest";
    if (this.#ports.profile === "host" && !this.#recovered.has(row.id)) {
      // A refresh has done it already.
      if (repo.shared === undefined) {
        await repo.locked("finish what an earlier svc left", () => Promise.resolve());
      }
      this.#recovered.add(row.id);
    }
    opened.move();
    return { repo, manifest, problem };
  }

  /** An observer sees what the remote had when svc began. */
  async #refresh({ id, shared }: Repo, freshMs: number): Promise<void> {
    const { clock, profile } = this.#ports;
    if (shared === undefined || profile !== "host") return;
    const last = this.#fetched.get(id);
    if (last !== undefined && clock.monotonic() - last < freshMs) return;
    await shared.refresh();
    this.#fetched.set(id, clock.monotonic());
  }

  async obstacle(repo: Repo): Promise<string | undefined> {
    if (this.#ports.profile !== "host") return undefined;
    const operation = await repo.git.operationNow();
    const fault = operation === undefined
      ? (await repo.branchFault())?.why
      : `the ${operation} to end that is going on in the checkout`;
    return fault === undefined ? undefined : `it waits for ${fault}`;
  }
}

export interface ReadyRepo {
  readonly repo: Repo;
  readonly manifest: Manifest;
  readonly problem: string | undefined;
}

interface EngineProblem {
  readonly repo: string;
  readonly why: string;
}
