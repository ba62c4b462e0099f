/** What a pending merge or move waits for, and who has to act. Pure. */
import { shellWord } from "svc/core/shell_word.ts";
import { MERGE_CHECK } from "svc/runtime/settle/unchecked.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";

interface SettlementWait {
  readonly zone: "needs_you" | "failing" | "waiting";
  readonly why: string;
  readonly action: string | null;
}

/**
 * Answers of a host that need a person: a wrong token, a missing sign-on, a new name, an archived repo, a
 * refused request.
 */
const REFUSED =
  /^another try at the pull request: .*(?:refuses the token \(401\)|does not open "[^"]*" \(40[34]\)|single sign-on by SAML \(403\)|GitHub refuses it|(?:was|is) archived|redirects elsewhere \(\d+\)).*; ([^;]+)$/s;

type WaitKind =
  | "dirty"
  | "branch"
  | "register"
  | "pull_request"
  | "pull"
  | "push"
  | "word"
  | "refused"
  | "merge";

export interface PersonsWait {
  readonly kind: WaitKind;
  /** What the reason names: paths, a branch, a number. */
  readonly subject: string;
  readonly action: string;
}

/** Reasons that `settle.ts`, `pull_request.ts`, `bring_in.ts`, `below_branch.ts` and `branch_fault.ts` give, and what a person does about each. */
const FOR_A_PERSON: readonly (readonly [
  kind: WaitKind,
  begins: RegExp,
  action: (text: string) => string,
])[] = [
  ["dirty", /^a clean checkout: (.*)$/s, (paths) => `Commit, stash or take back: ${paths}`],
  [
    "branch",
    /^("[^"]*") to be checked out/,
    (branch) => `git switch ${shellWord(branch.slice(1, -1))}`,
  ],
  ["register", /^another branch to be registered: .*; in the repo: (.*)$/s, (command) => command],
  ["pull_request", /^pull request (#\d+) to be merged: (?:.*)$/s, (pr) => `Review and merge ${pr}`],
  ["pull", /^your pull of (.*?): #\d+ was merged/s, () => "git pull"],
  ["push", /^a person to push .*?, then: (git push origin .*?) \(/s, (command) => command],
  // The first way lets in this work alone.
  ["word", /^your word: .*?: (svc .*?)(?:, or let all in unchecked: .*)?$/s, (command) => command],
  ["refused", REFUSED, (remedy) => remedy],
  ["merge", /^a person to (merge .*)$/s, (merge) => `${merge[0]!.toUpperCase()}${merge.slice(1)}`],
];

/** Reasons that end by themselves: GitHub's limit, another process at work in the repo (`repo_lock.ts`), checks. */
const PASSES = new RegExp(
  `^GitHub's (?:secondary )?rate limit| holds the lock of "|^${MERGE_CHECK}|to rest: it moved on`,
);

/** What a person can do about the wait; undefined if nobody has to do anything. */
export function personsWait(waitsFor: string): PersonsWait | undefined {
  for (const [kind, begins, action] of FOR_A_PERSON) {
    const subject = begins.exec(waitsFor)?.[1];
    if (subject !== undefined) return { kind, subject, action: action(subject) };
  }
  return undefined;
}

export function settlementWait({ waits_for, merge_from, to_state }: Settlement): SettlementWait {
  const what = merge_from === null ? `move to ${to_state ?? "where it belongs"}` : "merge";
  if (waits_for === null) {
    return { zone: "waiting", why: `Its ${what} is about to be made`, action: null };
  }
  const why = `Its ${what} waits for ${waits_for}`;
  if (PASSES.test(waits_for)) return { zone: "waiting", why, action: null };
  const action = personsWait(waits_for)?.action;
  if (action !== undefined) return { zone: "needs_you", why, action };
  const trouble = /^another try at the pull request: (.*)$/s.exec(waits_for)?.[1];
  if (trouble !== undefined) {
    return { zone: "failing", why: `Its pull request cannot be made: ${trouble}`, action: null };
  }
  // Git or the file system refused, such as in the middle of a rebase.
  return {
    zone: "needs_you",
    why: `Its ${what} waits: ${waits_for}`,
    action: "Settle it in the checkout",
  };
}
