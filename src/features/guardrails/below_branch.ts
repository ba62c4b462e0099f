/**
 * Finds commits that a push of a job's branch would publish although they belong to the branch below it, where
 * a person made them and has not pushed them. That person decides when to publish them, and their pre-push hook
 * would check them.
 */
import { Failure } from "svc/core/failure.ts";
import type { Clock } from "svc/platform/clock.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { BranchCommit } from "svc/platform/git/branch.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { scanForRole } from "./accepted_secrets.ts";
import { commitLine } from "./commit_guard.ts";
import { objects } from "./scan_sources.ts";

/** Bound of what one refusal names, since it goes into a ticket's evidence. */
const SHOWN = 3;

const WAY = "Push or rewrite those commits yourself, or accept what is no secret there: svc " +
  "guardrails secret-scan --write-baseline, and commit it";

interface Below {
  readonly git: Pick<
    GitRepo,
    | "catFiles"
    | "commitsUnpushed"
    | "filesAt"
    | "log"
    | "mergeBase"
    | "outgoing"
    | "outgoingMessages"
    | "root"
  >;
  readonly clock: Pick<Clock, "processor">;
}

interface Comes {
  readonly head: string;
  /** The ref that `head` comes from. */
  readonly into: string;
}

const branchOf = ({ into }: Pick<Comes, "into">) => into.replace(/^refs\/heads\//, "");

/** If nothing was ever fetched, it is not known here what the remote has. */
async function knowsRemote({ git }: Pick<Below, "git">, branch: string): Promise<boolean> {
  try {
    await git.log({ ref: `refs/remotes/origin/${branch}`, max: 1 });
    return true;
  } catch (thrown) {
    if (Failure.from(thrown).code === "environment") return false;
    throw thrown;
  }
}

/** The commit from which the branch set out; undefined where nothing tells what the remote has of it. */
async function startOf(below: Pick<Below, "git">, from: Comes): Promise<string | undefined> {
  const start = await below.git.mergeBase(from.head, from.into);
  return start !== undefined && await knowsRemote(below, branchOf(from)) ? start : undefined;
}

/** @returns why it must not be pushed */
export async function secretsBelow(below: Below, from: Comes): Promise<string | undefined> {
  const { git, clock } = below;
  const start = await startOf(below, from);
  if (start === undefined) return undefined;
  const messages = await git.outgoingMessages([start], "origin");
  const entries = await git.outgoing([start], "origin");
  const { findings } = await scanForRole({
    paths: entries.map(({ path }) => path),
    each: (visit) => objects(git, { messages, entries }, visit),
  }, { git, into: from.into, now: () => clock.processor() });
  if (findings.length === 0) return undefined;
  const named = findings.map(({ path, line, rule }) => `${path}:${line}: ${rule}`);
  return `secrets in commits of "${branchOf(from)}" that its remote lacks: ${some(named)}. ${WAY}`;
}

function some(named: readonly string[]): string {
  const rest = named.length - SHOWN;
  return [...named.slice(0, SHOWN), ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}

/** A merge is passed over: both of its sides are looked at. */
const isPersons = (tickets: string) => ({ parents, roles, changed }: BranchCommit) =>
  parents.length < 2 && roles.length === 0 &&
  changed.some(({ path }) => !path.startsWith(`${tickets}/`));

/**
 * @param tickets the folder of the repo's tickets: svc commits their moves, without the trailers of a role
 * @returns what a push waits for; undefined where svc alone has made what would go out
 */
export async function pushOfPerson(
  below: Below,
  from: Comes & { readonly tickets: string },
): Promise<string | undefined> {
  const start = await startOf(below, from);
  if (start === undefined) return undefined;
  const commits = (await below.git.commitsUnpushed(start, "origin"))
    .filter(isPersons(from.tickets));
  if (commits.length === 0) return undefined;
  const branch = branchOf(from);
  const [what, which] = commits.length === 1
    ? ["1 commit", "it"]
    : [`${commits.length} commits`, "them"];
  return `a person to push ${branch}: ${what} of it that the remote lacks would go out with the ` +
    `work; look at ${which}, then: git push origin ${shellWord(branch)} ` +
    `(${some(commits.map(commitLine))})`;
}
