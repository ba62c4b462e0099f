/** Measures how a job found its way in the code: when it first edited a file, and whether its hint was right. */
import { CODE_EVIDENCE_PATHS } from "svc/core/bounds.ts";
import { diffStat } from "svc/core/diff_stat.ts";
import { Failure } from "svc/core/failure.ts";
import type { Turn } from "svc/features/agent/agent.ts";
import type { CodeEvidence } from "svc/features/code_intel/evidence_table.ts";
import type { Toolbox } from "svc/features/tools/tool.ts";
import type { CodeHint } from "./code_hint.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Proof } from "./prove.ts";
import type { JobTree } from "./job_tree.ts";

/** Changes by commands are not seen. */
const EDITS: ReadonlySet<string> = new Set(["file_edit", "file_write"]);

export class FirstEdit {
  /** From 1; null until there is one. */
  turn: number | null = null;
  /** Calls that only read, before the first edit. */
  reads = 0;
  readonly #readsOnly: Toolbox["readsOnly"];

  constructor({ readsOnly }: Pick<Toolbox, "readsOnly">) {
    this.#readsOnly = readsOnly;
  }

  see({ turn, outcomes }: Pick<Turn, "turn" | "outcomes">): void {
    for (const { tool, status } of outcomes) {
      if (this.turn !== null) return;
      if (EDITS.has(tool) && status === "ok") this.turn = turn;
      else if (tool !== "finish" && this.#readsOnly(tool)) this.reads++;
    }
  }
}

interface EvidenceSource {
  readonly job: string;
  /** The repo and not the work tree, which may be removed meanwhile. */
  readonly repo: Pick<Repo, "git">;
  readonly tree: Pick<JobTree, "given">;
  readonly proof: Pick<Proof, "head">;
  readonly hint: CodeHint | undefined;
  readonly edit: Pick<FirstEdit, "reads" | "turn">;
}

/** Paths changed by the job's own commits. */
async function changedIn(
  { worktrees }: RuntimePorts,
  { repo, tree: { given }, proof: { head } }: EvidenceSource,
): Promise<string[]> {
  if (given === undefined || head === undefined || head === given) return [];
  const stats = diffStat(await worktrees.patch(repo.git, head, given));
  return [...new Set(stats.map(({ path }) => path))].sort();
}

/** Undefined if git fails: a job must not fail because of this measurement. */
export async function evidenceOf(
  ports: RuntimePorts,
  seen: EvidenceSource,
): Promise<CodeEvidence | undefined> {
  try {
    return await measured(ports, seen);
  } catch (thrown) {
    const why = Failure.from(thrown).message;
    ports.log.write("warn", "no code evidence", { job: seen.job, why });
    return undefined;
  }
}

async function measured(
  ports: RuntimePorts,
  seen: EvidenceSource,
): Promise<CodeEvidence> {
  const { job, hint, edit } = seen;
  const offered = hint?.offered ?? [];
  const changed = await changedIn(ports, seen);
  return {
    job_id: job,
    assisted: hint === undefined ? 0 : 1,
    offered: JSON.stringify(offered),
    offered_ms: hint?.ms ?? null,
    changed: JSON.stringify(changed.slice(0, CODE_EVIDENCE_PATHS)),
    changed_files: changed.length,
    hits: changed.filter((path) => offered.includes(path)).length,
    first_edit_turn: edit.turn,
    reads_before_edit: edit.reads,
  };
}
