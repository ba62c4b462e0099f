/** Tells how checks end on the commit from which work started; each commit is checked once. */
import { Failure } from "svc/core/failure.ts";
import {
  baseChecksAt,
  definitionOfCheck,
  recordBaseCheck,
} from "svc/features/checks/base_check_store.ts";
import type { BaseCheck } from "svc/features/checks/base_check_table.ts";
import { mayPassAgain } from "svc/features/checks/why_red.ts";
import type { Manifest, ManifestCommand } from "svc/features/harness/manifest_shape.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { type RanCommand, runInTree, type TreeWork } from "./run_in_tree.ts";
import { setUpTree } from "./set_up.ts";
import { atCommit } from "./tree_at.ts";

export type BaseVerdict =
  | { readonly kind: "green" }
  | { readonly kind: "red"; readonly said: string }
  /**
   * The machine cannot run the check there, or no tree can be made: such a result excuses nothing, and is not
   * stored.
   */
  | { readonly kind: "unknown"; readonly why: string };

interface BaseQuestion extends TreeWork {
  readonly manifest: Manifest;
  readonly base: string;
  readonly checks: readonly ManifestCommand[];
}

interface OpenQuestion {
  readonly command: ManifestCommand;
  readonly definition: string;
}

/** By the check's name. Checks that have no stored result for that commit are run in a tree of their own. */
export async function onBase(
  ports: RuntimePorts,
  repo: Repo,
  asked: BaseQuestion,
): Promise<ReadonlyMap<string, BaseVerdict>> {
  const { base, checks, manifest } = asked;
  const stored = await baseChecksAt(ports.db, { repoId: repo.id, commit: base });
  const verdicts = new Map<string, BaseVerdict>();
  const open: OpenQuestion[] = [];
  for (const command of checks) {
    const definition = await definitionOfCheck(command, manifest.project.setup);
    const known = stored.find((one) => one.definition === definition);
    if (known === undefined) open.push({ command, definition });
    else verdicts.set(command.name, verdictOf(known));
  }
  if (open.length === 0) return verdicts;
  try {
    const plan = { job: asked.job, name: "base", commit: base };
    await atCommit(ports, repo, plan, async (tree) => {
      const work = { ...asked, tree };
      await setUpTree(ports, repo, manifest, work);
      for (const one of open) {
        verdicts.set(one.command.name, await answered(ports, repo, work, one));
      }
    });
  } catch (thrown) {
    asked.signal.throwIfAborted();
    const { code, message, detail } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted" || detail.waits) throw thrown;
    ports.log.write("warn", "the base was not checked", { base, why: message });
    for (const { command } of open) {
      if (!verdicts.has(command.name)) verdicts.set(command.name, unknown(base, message));
    }
  }
  return verdicts;
}

const verdictOf = ({ outcome, said }: Pick<BaseCheck, "outcome" | "said">): BaseVerdict =>
  outcome === "passed" ? { kind: "green" } : { kind: "red", said };

const unknown = (base: string, why: string): BaseVerdict => ({
  kind: "unknown",
  why: `whether it was red at ${base.slice(0, 12)} cannot be told: ${why}`,
});

async function answered(
  ports: RuntimePorts,
  repo: Repo,
  asked: BaseQuestion,
  { command, definition }: OpenQuestion,
): Promise<BaseVerdict> {
  const first = await runAtBase(ports, repo, asked, command);
  // A red result excuses all work that starts from this commit, so the check must be red twice.
  const red = first.fault === undefined && first.record.outcome !== "passed";
  const ran = red && mayPassAgain(first.record)
    ? await runAtBase(ports, repo, asked, command)
    : first;
  if (ran.fault !== undefined) return unknown(asked.base, ran.fault.why);
  const answer = {
    repo_id: repo.id,
    commit_id: asked.base,
    definition,
    name: command.name,
    outcome: ran.record.outcome,
    said: ran.said,
    checked_at: ports.clock.now(),
  };
  await recordBaseCheck(ports.db, answer);
  return verdictOf(answer);
}

function runAtBase(
  ports: RuntimePorts,
  repo: Repo,
  asked: BaseQuestion,
  command: ManifestCommand,
): Promise<RanCommand> {
  const { name } = command;
  const label = `check ${name} before the work`;
  return runInTree(ports, repo, asked, { label, name: `${name} (base)`, command });
}
