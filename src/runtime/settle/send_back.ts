/**
 * Sends approved work back as rework if the checks of its merge are red, on a branch that contains what it was
 * merged with.
 */
import { Failure } from "svc/core/failure.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { MergeCheck } from "svc/features/routing/merge_check_table.ts";
import { sendBackInstead } from "svc/features/routing/settlement_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import { handOver, takeOver, teamTip } from "svc/runtime/job/hand_over.ts";
import { saveLeftovers } from "svc/runtime/job/leftovers.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { blocked, foundTicket, GO, mergeMessage, type SettleStep } from "./settle_step.ts";

const short = (commit: string) => commit.slice(0, 12);

/** @param check the red one */
export async function sentBack(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  { manifest, check }: { readonly manifest: Manifest | undefined; readonly check: MergeCheck },
): Promise<SettleStep> {
  const { id, ticket_id } = settlement;
  const branch = settlement.merge_from!;
  const into = settlement.merge_into!;
  const red = `${branch} passes alone, and not merged with ${into} at ` +
    `${short(check.into_commit)}: ${check.said}`;
  const opened = ticket_id === null ? undefined : await foundTicket(repo, ticket_id);
  if (opened === undefined || typeof opened === "string") {
    return { kind: "superseded", why: opened ?? red };
  }
  const times = opened.ticket.rework + 1;
  if (times > (manifest?.dispatch.max_rework ?? 0)) {
    const action = `Settle what ${branch} and ${into} disagree on, then unblock it`;
    return await blocked(ports, settlement, { action, reason: `sent back ${times} times: ${red}` });
  }
  const reason = `${red}. The branch has ${into} now: mend it there`;
  const merge = { from: into, into: branch, commit: check.into_commit };
  await sendBackInstead(ports.db, id, { reason, merge });
  const changed: Settlement = {
    ...{ ...settlement, to_state: "in-progress", reason },
    ...{ merge_from: merge.from, merge_into: merge.into, merge_commit: merge.commit },
  };
  await bringBack(ports, repo, changed);
  return { kind: "changed", settlement: changed };
}

/** Merges the registered branch into the ticket's, so that its next role sees both. Does nothing the second time. */
export async function bringBack(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
): Promise<SettleStep> {
  const into = settlement.merge_into!;
  const { worktrees } = ports;
  const doing = `bring ${settlement.merge_from} into ${into}`;
  if (await teamTip(ports, repo, into) === undefined) return GO; // a person took it away
  const retire = () => dropTreeOf(ports, repo, into);
  // Another node may have worked on it last.
  await takeOver(ports, repo, into, retire);
  const message = mergeMessage(settlement);
  const plan = { doing, into, from: settlement.merge_commit!, message };
  const step = await repo.locked(doing, async () => {
    const merged = await worktrees.merge(repo.git, plan).catch((thrown) => {
      if (Failure.from(thrown).code !== "refused") throw thrown;
      return { kind: "dirty" } as const;
    });
    if (merged.kind !== "dirty") return GO; // with a new conflict, the next approval says so
    await retire();
    await worktrees.merge(repo.git, plan);
    return GO;
  });
  await handOver(ports, repo, into);
  return step;
}

/** Uncommitted files of its last job would be in the way, so they are kept aside. Call it with the lock. */
async function dropTreeOf(ports: RuntimePorts, repo: Repo, branch: string): Promise<void> {
  const { worktrees, home } = ports;
  const { git } = repo;
  for (const { path, branch: theirs, stale } of await worktrees.list(git)) {
    if (theirs !== branch || !path.startsWith(`${home.worktrees}/`)) continue;
    const { holder } = await worktrees.mark(git, path);
    if (!stale) await saveLeftovers(ports, repo, path, holder);
    await worktrees.remove(git, path, { discard: true });
  }
}
