/** One registered repo as the runtime sees it: its registration, its manifest as last known good, its tickets. */
import { Failure } from "svc/core/failure.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { ManifestReading } from "svc/features/repos/repo.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import type { RuntimePorts } from "./ports.ts";
import { manifestNow, type ManifestText } from "svc/runtime/session/standing_rules.ts";

export interface RepoView extends ManifestReading {
  readonly id: string;
  readonly root: string;
  /** The branch that takes the work, as registered. */
  readonly branch: string;
  /** `owner/repo`, when it has one. */
  readonly remote: string | null;
}

/** Remembers the last good manifest of each repo for as long as the process lives. */
export class RepoViews {
  readonly #good = new Map<string, ManifestText>();

  constructor(readonly ports: Pick<RuntimePorts, "folder">) {}

  async look(repo: Pick<RegisteredRepo, "id" | "path" | "branch" | "remote">): Promise<RepoView> {
    const facts = { id: repo.id, root: repo.path, branch: repo.branch, remote: repo.remote };
    try {
      using folder = await this.ports.folder(repo.path);
      // Looked at many times a minute, and edited once a month.
      const found = await manifestNow(folder, this.#good.get(repo.id));
      if (found === undefined) {
        return { ...facts, manifest: undefined, problem: `there is no ${MANIFEST_PATH}` };
      }
      this.#good.set(repo.id, found);
      return { ...facts, manifest: found.manifest, problem: undefined };
    } catch (thrown) {
      const { code, message } = Failure.from(thrown);
      if (code === "internal" || code === "interrupted") throw thrown;
      return { ...facts, manifest: this.#good.get(repo.id)?.manifest, problem: message };
    }
  }
}

/** Why tickets cannot be moved now; undefined when they can. */
export function branchFault(
  checkout: Pick<Checkout, "git">,
  { branch }: Pick<RepoView, "branch">,
): string | undefined {
  const on = checkout.git.branch;
  if (on === branch) return undefined;
  return on === undefined
    ? `"${branch}" to be checked out: HEAD is on no branch`
    : `"${branch}" to be checked out: "${on}" is`;
}
