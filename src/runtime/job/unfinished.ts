/**
 * Checks what a role left when something else ended its run. Complete work with green checks is handed in; the
 * rest is committed as unfinished work, with which the next attempt begins.
 */
import { commitSubject } from "svc/core/commit_text.ts";
import type { Disposition } from "svc/core/disposition.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Stop } from "svc/features/agent/stop.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { commitUnfinished, type UnfinishedCommit } from "svc/features/tools/commit_unfinished.ts";
import type { ToolSession } from "svc/features/tools/tool.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { saveLeftovers } from "./leftovers.ts";
import { type Proof, prove, type Work } from "./prove.ts";

/** Ends in which the role could not say whether its work is done. */
const CUT_SHORT: ReadonlySet<Disposition> = new Set([
  "stuck",
  "budget_exhausted",
  "turns_exhausted",
  "timed_out",
  "model_error",
  "internal_error",
]);

/** Ends after which the next attempt continues with the work that is there. */
export const KEPT: ReadonlySet<Disposition> = new Set([...CUT_SHORT, "policy_denied"]);

/** A question, too, waits with the work that led to it. */
const isKept = ({ disposition, question }: Stop) => KEPT.has(disposition) || question !== undefined;

/** Marks the commit of unfinished work, with how its run ended. */
export const UNFINISHED = "Svc-Unfinished";

const LEFT_OUT_SHOWN = 5;

export interface EndedWork extends Omit<Work, "disposition"> {
  readonly session: ToolSession;
  /** The role may end with `submitted`. */
  readonly handsIn: boolean;
  /** What was tried, what failed, what came last. */
  summary(): Promise<string>;
}

export interface ProvenEnd {
  readonly end: Stop;
  readonly proof: Proof;
}

/** @throws as `prove`; what was there is committed by then */
export async function proveEnd(
  ports: RuntimePorts,
  repo: Repo,
  work: EndedWork,
  end: Stop,
): Promise<ProvenEnd> {
  const { tree, handsIn } = work;
  const { disposition } = end;
  if (!handsIn || tree.ownBranch === undefined || !isKept(end)) {
    return { end, proof: await prove(ports, repo, { ...work, disposition }) };
  }
  const { changes, head } = await tree.git.status();
  if (changes.length === 0 && head === tree.given) {
    return { end, proof: await prove(ports, repo, { ...work, disposition }) };
  }
  work.progress("look at what the run left");
  const kept = changes.length > 0 ? await commitRest(ports, repo, work, end) : NOTHING_LEFT;
  const tried = CUT_SHORT.has(disposition) && kept.leftOut.length === 0;
  const proof = await prove(ports, repo, {
    ...work,
    disposition: tried ? "submitted" : disposition,
  });
  if (tried && isWhole(proof)) return await handedIn(ports, repo, work, end, kept, proof);
  if (kept.commit === undefined || proof.tails === "") {
    return { end: { ...end, evidence: said(end, kept) }, proof };
  }
  const message = unfinished(work, end, `${await work.summary()}\n\n${proof.tails}`);
  const commit = await reworded(ports, repo, work, kept.commit, message);
  return {
    end: { ...end, evidence: said(end, { ...kept, commit }) },
    proof: { ...proof, head: commit },
  };
}

interface Rest extends UnfinishedCommit {
  /** Where the rest of it is. */
  readonly ref?: string;
}

const NOTHING_LEFT: Rest = { commit: undefined, leftOut: [] };

function unfinished({ message }: EndedWork, { disposition, question }: Stop, body: string) {
  const subject = commitSubject("chore(wip)", message.replace(/^feat: /, ""));
  const ended = question === undefined ? disposition : "question";
  return { subject, body, trailers: { [UNFINISHED]: ended } };
}

/** Commits what policy and guards allow; the rest is kept as leftovers and removed from the tree. */
async function commitRest(
  ports: RuntimePorts,
  repo: Repo,
  work: EndedWork,
  end: Stop,
): Promise<Rest> {
  const { toolbox, session, tree, job, signal } = work;
  const offered = (await toolbox.offered()).some((tool) => tool.function.name === "git_commit");
  const made = offered
    ? await commitUnfinished(session, unfinished(work, end, await work.summary()), signal)
    : { commit: undefined, leftOut: ["the role may not commit now"] };
  if (made.leftOut.length === 0) return made;
  using _lock = await repo.lock("keep what is not committed");
  const left = await saveLeftovers(ports, repo, tree.root, job);
  await ports.worktrees.putBack(repo.git, tree.root, []);
  return { ...made, ...(left && { ref: left.ref }) };
}

/**
 * Whether what svc saw is enough to hand the work in: everything is committed, there is no objection, and a
 * check passed.
 */
function isWhole({ committed, objections, foreign, uncommitted, checks }: Proof): boolean {
  const clean = [objections, foreign, uncommitted].every((list) => list.length === 0);
  return committed && clean && (checks === "passed" || checks === "red_before");
}

async function handedIn(
  ports: RuntimePorts,
  repo: Repo,
  work: EndedWork,
  { disposition, evidence: why, fault }: Stop,
  { commit: rest }: Rest,
  proof: Proof,
): Promise<ProvenEnd> {
  const final = { subject: work.message, body: "", trailers: {} };
  const commit = rest && await reworded(ports, repo, work, rest, final);
  const evidence = `The run ended ${disposition} (${why}). What it had done is whole and passes ` +
    "the checks, so svc hands it in";
  return {
    end: { disposition: "submitted", evidence, ...(fault && { fault }) },
    proof: { ...proof, ...(commit && { head: commit }) },
  };
}

/** The same work gets another commit message; if svc is killed in between, the work is still in the tree. */
async function reworded(
  { worktrees }: RuntimePorts,
  repo: Repo,
  { tree, session, signal }: EndedWork,
  commit: string,
  message: Parameters<typeof commitUnfinished>[1],
): Promise<string> {
  {
    using _lock = await repo.lock("word a commit anew");
    if (!await worktrees.uncommit(repo.git, tree.root, commit)) return commit;
  }
  return (await commitUnfinished(session, message, signal)).commit ?? commit;
}

function said({ evidence }: Stop, { commit, leftOut, ref }: Rest): string {
  const more = leftOut.length > LEFT_OUT_SHOWN
    ? ` and ${leftOut.length - LEFT_OUT_SHOWN} more`
    : "";
  return [
    evidence,
    ...(commit === undefined
      ? []
      : [`What was there is committed as unfinished work: ${commit.slice(0, 12)}`]),
    ...(ref === undefined ? [] : [
      `Not let in, and kept in ${quoted(ref)}: ` +
      `${leftOut.slice(0, LEFT_OUT_SHOWN).join("; ")}${more}`,
    ]),
  ].join(". ");
}
