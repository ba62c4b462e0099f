/** The commits that changed the harness of each repo, asked of git once for each commit that is checked out. */
import { HARNESS_COMMITS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { type AgentChange, harnessEvolution } from "svc/features/evolution/changes.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { UNINTERRUPTED, type ViewPorts } from "./view_ports.ts";

interface HeldHistory {
  readonly tip: string | undefined;
  readonly changes: readonly AgentChange[];
}

export class HarnessHistories {
  readonly #ports: Pick<ViewPorts, "commits" | "git">;
  readonly #held = new Map<string, HeldHistory>();

  constructor(ports: Pick<ViewPorts, "commits" | "git">) {
    this.#ports = ports;
  }

  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#held.keys()) if (!ids.has(id)) this.#held.delete(id);
  }

  /** Empty for a repo that cannot be read now: the board shows its problem. */
  async of({ id, path }: RegisteredRepo): Promise<readonly AgentChange[]> {
    const { git, commits } = this.#ports;
    try {
      const repo = await git.open(path, { signal: UNINTERRUPTED });
      const tip = await commits.tip(repo);
      const held = this.#held.get(id);
      if (held !== undefined && held.tip === tip) return held.changes;
      const log = await repo.log({ max: HARNESS_COMMITS, paths: [".harness"] });
      const changes = harnessEvolution(id, log);
      this.#held.set(id, { tip, changes });
      return changes;
    } catch (thrown) {
      if (Failure.from(thrown).code === "internal") throw thrown;
      return [];
    }
  }
}
