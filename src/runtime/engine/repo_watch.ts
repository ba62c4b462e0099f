/** The repos that an engine works on: looked at anew each time, one that fails never stops the others. */
import { Failure } from "svc/core/failure.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import type { EnginePlan, EnginePorts } from "./engine_plan.ts";
import { branchFault, type RepoView, RepoViews } from "svc/runtime/repo_view.ts";

export class RepoWatch {
  readonly #repos: EnginePlan["repos"];
  readonly #ports: EnginePorts;
  readonly #views: RepoViews;
  readonly #changed: (root: string, problem: string | undefined) => void;
  readonly #problems = new Map<string, string>();
  readonly #recovered = new Set<string>();

  constructor(
    { ports, repos }: Pick<EnginePlan, "ports" | "repos">,
    changed: (root: string, problem: string | undefined) => void,
  ) {
    this.#repos = repos;
    this.#ports = ports;
    this.#views = new RepoViews(ports);
    this.#changed = changed;
  }

  /** By path. */
  get problems(): EngineProblem[] {
    return [...this.#problems].map(([repo, why]) => ({ repo, why }))
      .sort((a, b) => a.repo.localeCompare(b.repo));
  }

  all(): Promise<readonly RegisteredRepo[]> {
    return this.#repos();
  }

  /**
   * The repo as it is now, ready to be worked on: what a killed commit left in it is finished.
   * @returns why nothing can be done in it, as text
   */
  async ready(repo: RegisteredRepo, signal: AbortSignal): Promise<RepoView | string> {
    const found = await this.#look(repo, signal).catch((thrown) => {
      signal.throwIfAborted();
      const failure = Failure.from(thrown);
      if (failure.code === "internal") {
        this.#ports.log.write("error", failure.message, { repo: repo.path, cause: thrown });
      }
      return failure.message;
    });
    // With the last good manifest the work goes on, and the fault of the new one is shown.
    const problem = typeof found === "string" ? found : found.problem;
    if (this.#problems.get(repo.path) !== problem) {
      if (problem === undefined) this.#problems.delete(repo.path);
      else this.#problems.set(repo.path, problem);
      this.#changed(repo.path, problem);
    }
    return found;
  }

  async #look(repo: RegisteredRepo, signal: AbortSignal): Promise<RepoView | string> {
    const view = await this.#views.look(repo);
    const { manifest, problem = "it has no manifest" } = view;
    if (manifest === undefined) return problem;
    const ports = { ...this.#ports, signal };
    using checkout = await openCheckout(ports, view.root);
    if (ports.profile !== "host" || this.#recovered.has(repo.id)) return view;
    using _lock = await ports.lockRepo(checkout.git, {
      doing: "finish what an earlier svc left",
      clock: ports.clock,
      signal,
    });
    await ports.commits.recover(checkout.git, checkout.folder);
    this.#recovered.add(repo.id);
    return view;
  }

  /** Why no job of it can begin now: its tickets could not be moved. */
  async obstacle(view: RepoView, signal: AbortSignal): Promise<string | undefined> {
    if (this.#ports.profile !== "host") return undefined;
    using checkout = await openCheckout({ ...this.#ports, signal }, view.root);
    const { operation } = checkout.git;
    const fault = operation === undefined
      ? branchFault(checkout, view)
      : `the ${operation} to end that is going on in the checkout`;
    return fault === undefined ? undefined : `it waits for ${fault}`;
  }
}

interface EngineProblem {
  readonly repo: string;
  readonly why: string;
}
