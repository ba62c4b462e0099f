/** What a push of a job's branch would publish below it: commits of the branch that it comes from, which a person has
 * not pushed. Their pre-push hook would look at them, and svc runs no hook. */
import { Failure } from "svc/core/failure.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { scanForRole } from "./accepted_secrets.ts";
import { objects } from "./scan_sources.ts";

/** Bound of what one refusal names, since it goes into a ticket's evidence. */
const SHOWN = 3;

const WAY = "Push or rewrite those commits yourself, or accept what is no secret there: svc " +
  "guardrails secret-scan --write-baseline, and commit it";

interface Below {
  readonly git: Pick<
    GitRepo,
    "catFiles" | "filesAt" | "log" | "mergeBase" | "outgoing" | "outgoingMessages" | "root"
  >;
  readonly clock: Pick<Clock, "processor">;
}

/** Where nothing was ever fetched, nobody here knows what the remote has. */
async function knowsRemote({ git }: Below, branch: string): Promise<boolean> {
  try {
    await git.log({ ref: `refs/remotes/origin/${branch}`, max: 1 });
    return true;
  } catch (thrown) {
    if (Failure.from(thrown).code === "environment") return false;
    throw thrown;
  }
}

/** @param into the ref that `head` comes from @returns why it must not be pushed */
export async function secretsBelow(
  below: Below,
  { head, into }: { readonly head: string; readonly into: string },
): Promise<string | undefined> {
  const { git, clock } = below;
  const branch = into.replace(/^refs\/heads\//, "");
  const base = await git.mergeBase(head, into);
  if (base === undefined || !await knowsRemote(below, branch)) return undefined;
  const messages = await git.outgoingMessages([base], "origin");
  const entries = await git.outgoing([base], "origin");
  const { findings } = await scanForRole({
    paths: entries.map(({ path }) => path),
    each: (visit) => objects(git, { messages, entries }, visit),
  }, { git, into, now: () => clock.processor() });
  if (findings.length === 0) return undefined;
  const named = findings.map(({ path, line, rule }) => `${path}:${line}: ${rule}`);
  const rest = named.length - SHOWN;
  const some = [...named.slice(0, SHOWN), ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
  return `secrets in commits of "${branch}" that its remote lacks: ${some}. ${WAY}`;
}
