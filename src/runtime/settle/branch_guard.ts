/** Tells why the commits of a branch must not be merged or pushed. */
import { guardBranch, type GuardedBranch } from "svc/features/guardrails/commit_guard.ts";
import { pushOfPerson, secretsBelow } from "svc/features/guardrails/below_branch.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { TICKETS } from "svc/features/tickets/ticket_places.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import { hookFolders } from "svc/features/trust/hook_folders.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

/**
 * Looks for secrets, protected files and unknown authors. It checks again even if the branch was checked
 * before, since rules may have changed, or an older svc may have checked it.
 */
export async function faultOf(
  ports: Pick<RuntimePorts, "files" | "git" | "redact">,
  repo: Repo,
  manifest: Manifest | undefined,
  branch: GuardedBranch,
): Promise<string | undefined> {
  const guardrails = guardrailsOf(manifest, await hookFolders(ports, repo.git));
  const { foreign, objections } = await guardBranch({ tree: repo, guardrails }, branch);
  const found = [...foreign, ...objections];
  return found.length === 0 ? undefined : ports.redact(found.join(". "));
}

/** Why a branch is not pushed: never, or not before something happens. */
export type NotPushed =
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "wait"; readonly why: string };

/** @returns undefined for a branch that may go out, with the commits of `into` below it that the remote lacks */
export async function notPushed(
  ports: Pick<RuntimePorts, "files" | "git" | "redact">,
  repo: Repo,
  manifest: Manifest | undefined,
  branch: GuardedBranch,
): Promise<NotPushed | undefined> {
  const fault = await faultOf(ports, repo, manifest, branch) ?? await secretsBelow(repo, branch);
  if (fault !== undefined) return { kind: "refused", why: ports.redact(fault) };
  const wait = await pushOfPerson(repo, { ...branch, tickets: TICKETS });
  return wait === undefined ? undefined : { kind: "wait", why: ports.redact(wait) };
}
