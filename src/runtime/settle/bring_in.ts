/** What a person merged on a code host comes into this clone before its ticket counts as done: the next job begins here. */
import { commitSubject } from "svc/core/commit_text.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { CodeHostPlace } from "svc/features/access/code_host_access.ts";
import { isOrigin } from "svc/features/repos/remote_place.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { GitLogin } from "svc/platform/git/credential.ts";
import { fetchBranch } from "svc/platform/git/pull.ts";
import type { MergeOutcome } from "svc/platform/git/worktrees.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { mergeMessage } from "./settle_step.ts";

interface MergedPull {
  readonly number: number;
  readonly mergedAs?: string | undefined;
  readonly url: string;
  readonly remote: string;
  readonly at: CodeHostPlace;
  readonly login: GitLogin | undefined;
}

/**
 * Fetches the host's branch and merges it into the registered one, under the rules of every merge: no program of the
 * repo runs, and what somebody has not committed stays. A shared clone has been brought up to date before.
 * @returns what it waits for; undefined once the branch has the work
 */
export async function bringIn(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  { number, mergedAs, url, remote, at, login }: MergedPull,
): Promise<string | undefined> {
  const { processes, files, env, home, signal, worktrees } = ports;
  const [branch, into] = [settlement.merge_from!, settlement.merge_into!];
  const merged = settlement.merge_commit!;
  if (repo.shared !== undefined) return undefined;
  if (await worktrees.addsNothing(repo.git, merged, into)) return undefined;
  const place = at.pushUrl(remote);
  const doing = `fetch ${quoted(into)} from ${quoted(place)}`;
  const tip = await fetchBranch(
    {
      ...{ processes, files, env: env.all(), path: env.get("PATH") ?? "", scratch: home.traces },
      runner: { processes, env: env.all(), signal },
    },
    repo.git,
    { doing, url: place, branch: into, known: merged, login },
  );
  const message = commitSubject("chore(merge)", `${branch} went into ${into} as #${number}`);
  const pulled = {
    ...{ doing, tip, into, merged, mergedAs, message },
    isOrigin: await isOrigin(repo.git, { host: at.host, remote }),
  };
  const from = await worktrees.pulled(repo.git, pulled);
  if (from === undefined) return undefined;
  const merging = `merge pull request #${number} into ${into} of this clone`;
  const plan = { doing: merging, into, from, message: mergeMessage(settlement) };
  try {
    return waitOf(await repo.locked(merging, () => worktrees.merge(repo.git, plan)), {
      ...{ number, url, into },
    });
  } catch (thrown) {
    const { code, message, remedy } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted") throw thrown;
    return `${into} to take what was merged: ${message}; ${remedy}`;
  }
}

function waitOf(
  outcome: MergeOutcome,
  { number, url, into }: Pick<MergedPull, "number" | "url"> & { readonly into: string },
): string | undefined {
  if (outcome.kind === "dirty") return `a clean checkout: ${outcome.paths.slice(0, 5).join(", ")}`;
  if (outcome.kind !== "conflict") return undefined;
  const where = outcome.paths.slice(0, 10).join(", ");
  return `your pull of ${into}: #${number} was merged, and it conflicts here in ${where}: ${url}`;
}
