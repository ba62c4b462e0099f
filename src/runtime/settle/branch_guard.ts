/** Why the commits of a branch must not leave it, by merge or push. */
import { guardBranch, type GuardedBranch } from "svc/features/guardrails/commit_guard.ts";
import { secretsBelow } from "svc/features/guardrails/secrets_below.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import { hookFolders } from "svc/features/trust/hook_folders.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

/** Secrets, protected files and unknown authors. Checks again: other rules, or an older svc, may have passed the branch. */
export async function faultOf(
  ports: Pick<RuntimePorts, "git" | "redact">,
  repo: Repo,
  manifest: Manifest | undefined,
  branch: GuardedBranch,
): Promise<string | undefined> {
  const guardrails = guardrailsOf(manifest, await hookFolders(ports.git, repo.git));
  const { foreign, objections } = await guardBranch({ tree: repo, guardrails }, branch);
  const found = [...foreign, ...objections];
  return found.length === 0 ? undefined : ports.redact(found.join(". "));
}

/** Why the branch must not be pushed, with what it comes from. */
export async function belowFault(
  { redact }: Pick<RuntimePorts, "redact">,
  repo: Repo,
  branch: Pick<GuardedBranch, "head" | "into">,
): Promise<string | undefined> {
  const found = await secretsBelow(repo, branch);
  return found && redact(found);
}
