/** Guards commits, whoever made them, against secrets, protected files and unknown authors. */
import type { Redact } from "svc/core/redact.ts";
import { quoted } from "svc/core/repo_path.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { pathObjection } from "svc/features/trust/guardrails.ts";
import type { Guardrails } from "svc/features/trust/policy_question.ts";
import type { BranchCommit } from "svc/platform/git/branch.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { BASELINE_PATH } from "./baseline.ts";
import { type AcceptingBranch, type AddedFiles, scanForRole } from "./accepted_secrets.ts";
import { lineOfKey } from "./known_keys.ts";
import type { SourceFile } from "./secret_scan.ts";
import { GAVE_UP, scanName } from "./scan_file.ts";
import { MESSAGE, objects } from "./scan_sources.ts";

/** Bound of what one refusal names, since it goes into a ticket's evidence. */
const GUARD_SHOWN = 3;

interface ChangedPath {
  readonly path: string;
  readonly usable: boolean;
}

/** The policy's objections have a remedy. */
export interface CommitObjection {
  readonly reason: string;
  readonly remedy?: string;
}

// deno-lint-ignore no-control-regex -- control bytes are what is refused here
const CONTROL = /[\x00-\x1f\x7f]/;

const NOT_USABLE =
  "not usable as a path: not UTF-8, or with a control character; a person commits it";

export function protectedIn(
  files: readonly ChangedPath[],
  { role, guardrails }: { readonly role: string; readonly guardrails: Guardrails },
): CommitObjection[] {
  return files.flatMap(({ path, usable }) => {
    if (!usable || CONTROL.test(path)) return [{ reason: `${quoted(path)}: ${NOT_USABLE}` }];
    if (path === BASELINE_PATH) {
      return [{ reason: `${path}: what counts as a known secret is a person's to say` }];
    }
    return pathObjection(path, role, guardrails) ?? [];
  });
}

interface SecretSuspect {
  /** As it is; what is told of it is without a secret in it. */
  readonly path: string;
  /** "config.ts:2: github-token"; never a value. */
  readonly what: string;
}

/** The way out for a person; a role makes the file smaller. */
const ACCEPT_UNFINISHED = "make it smaller, split it, or have a person accept it on the default " +
  "branch (svc guardrails secret-scan --write-baseline)";

/** The model's, or one of `.harness/.env*`; no baseline accepts it. */
export const SVC_KEY = "a key that svc uses";

interface SecretsFound {
  readonly suspects: readonly SecretSuspect[];
  readonly accepted: number;
}

/** Names the secrets in files and messages by rule and line, and what could not be scanned. */
export async function secretsIn(
  added: AddedFiles & { readonly messages: readonly string[] },
  branch: AcceptingBranch & { readonly withoutKeys?: Redact | undefined },
): Promise<SecretsFound> {
  const { withoutKeys } = branch;
  const unread = new Map<string, SecretSuspect>();
  const keys: SecretSuspect[] = [];
  const lookForKey = (file: SourceFile) => {
    if (withoutKeys === undefined || "skipped" in file) return;
    const { path, bytes } = file;
    const line = lineOfKey(new TextDecoder().decode(bytes), withoutKeys);
    if (line !== undefined) keys.push({ path, what: `${withoutKeys(path)}:${line}: ${SVC_KEY}` });
    else if (withoutKeys(path) !== path) keys.push({ path, what: `a file's name: ${SVC_KEY}` });
  };
  const named = new Map<string, string>();
  const { findings, accepted } = await scanForRole({
    paths: added.paths,
    async each(visit) {
      for (const text of added.messages) {
        visit({ path: MESSAGE, bytes: new TextEncoder().encode(text) });
      }
      await added.each((file) => {
        visit(file);
        lookForKey(file);
        const { path } = file;
        const shown = scanName(path, {}).path;
        if (shown !== path) named.set(shown, path);
        if ("skipped" in file) unread.set(path, { path, what: `${shown}: could not be scanned` });
      });
    },
  }, branch);
  return {
    accepted,
    suspects: [
      ...findings.map(({ rule, path, line, redacted }) => ({
        path: named.get(path) ?? path,
        what: rule === GAVE_UP
          ? `${path}: took too long, ${redacted}; ${ACCEPT_UNFINISHED}`
          : `${path}:${line}: ${rule}`,
      })),
      ...unread.values(),
      ...keys,
    ],
  };
}

/** Where a person accepts a secret before a role commits it. */
export function acceptingBranch(
  { git, clock }: Pick<Checkout, "clock" | "git">,
  manifest: NamesBranch | undefined,
): AcceptingBranch {
  return { git, into: defaultRef(manifest), now: () => clock.processor() };
}

interface NamesBranch {
  readonly project: { readonly default_branch: string };
}

export function defaultRef(manifest: NamesBranch | undefined): string {
  return `refs/heads/${manifest?.project.default_branch ?? "main"}`;
}

interface BranchGuard {
  /** Any work tree of the repo. */
  readonly tree: {
    readonly git: Pick<GitRepo, "root" | "catFiles" | "filesAt" | "forkPoint" | "pathsSince">;
    readonly clock: Pick<Clock, "processor">;
  };
  readonly guardrails: Guardrails;
}

/** What svc stored of a branch's commits, by their ids. */
export type CommitMakers = ReadonlyMap<string, { readonly job: string; readonly role: string }>;

export interface GuardedBranch {
  readonly head: string;
  readonly into: string;
  /** Commits that `head` has and `into` lacks, newest first. */
  readonly commits: readonly BranchCommit[];
  readonly makers: CommitMakers;
  /** The job that has just worked on the branch, starting at commit `given`. */
  readonly by?: { readonly job: string; readonly role: string; readonly given: string | undefined };
}

/** Both lists are empty when the branch may proceed. */
export interface GuardResult {
  readonly objections: readonly string[];
  /** Earlier commits without a job or person as author; a person has to look at them. */
  readonly foreign: readonly string[];
}

const short = (id: string) => id.slice(0, 12);

export const commitLine = ({ id, author, message }: BranchCommit) =>
  `${short(id)} ${quoted(message.split("\n", 1)[0]!.slice(0, 80))} by ${author.slice(0, 40)}`;

function some(lines: readonly string[]): string[] {
  const rest = lines.length - GUARD_SHOWN;
  return [...lines.slice(0, GUARD_SHOWN), ...(rest > 0 ? [`and ${rest} more`] : [])];
}

function upTo(given: string | undefined, commits: readonly BranchCommit[]): ReadonlySet<string> {
  const known = new Set(given === undefined ? [] : [given]);
  // The list has each commit before its parents.
  for (const { id, parents } of commits) {
    if (known.has(id)) { for (const parent of parents) known.add(parent); }
  }
  return known;
}

/** People mark their own commits with the trailer `Svc-Role: person`. */
const PERSON = "person";

interface JudgedCommits {
  /** Made while the job worked. */
  readonly fresh: readonly BranchCommit[];
  /** Those of them that are not the job's. */
  readonly now: readonly BranchCommit[];
  /** Earlier commits of unknown origin, or that claim another origin than they have. */
  readonly before: readonly BranchCommit[];
  /** The role whose rights a commit has; a trailer, an author or another branch gives no rights. */
  roleOf(commit: BranchCommit): string;
}

/** Only git_commit writes a job's trailers; commits made while a job works must carry them. */
function judged({ head, commits, by, makers }: GuardedBranch): JudgedCommits {
  const known = upTo(by === undefined ? head : by.given, commits);
  const old = commits.filter(({ id }) => known.has(id));
  const fresh = commits.filter(({ id }) => !known.has(id));
  const isTheJobs = ({ id, jobs, roles }: BranchCommit) =>
    jobs.join() === by?.job && roles.join() === by.role &&
    (makers.get(id)?.job ?? by.job) === by.job;
  const isNamed = ({ id, jobs, roles }: BranchCommit) => {
    const maker = makers.get(id);
    return maker === undefined
      ? jobs.length > 0 || roles.includes(PERSON)
      : jobs.includes(maker.job);
  };
  return {
    fresh,
    now: fresh.filter((commit) => !isTheJobs(commit)),
    before: old.filter((commit) => !isNamed(commit)),
    roleOf: ({ id }) => known.has(id) ? makers.get(id)?.role ?? PERSON : by!.role,
  };
}

/** Commits that came up while the job worked, so that its next look knows whose they are. */
export function freshCommits(branch: GuardedBranch): string[] {
  return judged(branch).fresh.map(({ id }) => id);
}

async function protectedOn(
  { tree: { git }, guardrails }: BranchGuard,
  { head, into, commits }: GuardedBranch,
  roleOf: JudgedCommits["roleOf"],
): Promise<string[]> {
  const objections = new Map<string, string>();
  const look = (files: readonly ChangedPath[], role: string) => {
    for (const file of files) {
      const [objection] = protectedIn([file], { role, guardrails });
      if (objection !== undefined) objections.set(file.path, objection.reason);
    }
  };
  for (const commit of commits) look(commit.changed, roleOf(commit));
  const merges = commits.some(({ parents }) => parents.length > 1);
  if (objections.size === 0 && !merges) return [];
  // A change that was reverted is no fault, and a merge may revert what the other branch did.
  const left = await git.pathsSince(head, into);
  const touched = new Set(commits.flatMap(({ changed }) => changed.map(({ path }) => path)));
  look(left.filter(({ path }) => !touched.has(path)), PERSON);
  return left.flatMap(({ path }) => objections.get(path) ?? []);
}

/** Secrets in any commit, even when a later one removes them: a remote gets all commits. */
async function secretsOn(
  { tree: { git, clock } }: BranchGuard,
  { commits, into }: GuardedBranch,
): Promise<string[]> {
  const files = new Map<string, { readonly oid: string; readonly path: string }>();
  for (const { path, oid } of commits.flatMap(({ changed }) => changed)) {
    if (oid !== undefined) files.set(`${oid} ${path}`, { oid, path });
  }
  const { suspects } = await secretsIn({
    messages: commits.map(({ message }) => message),
    paths: commits.flatMap(({ changed }) => changed.map(({ path }) => path)),
    each: (visit) =>
      objects(git, { messages: commits.map(({ id }) => id), entries: [...files.values()] }, visit),
  }, { git, into, now: () => clock.processor() });
  // Git's own reading of a message and its bytes mostly tell of the same secret.
  const told = new Map(suspects.map((suspect) => [suspect.what, suspect]));
  return [...told.values()].map(({ path, what }) => {
    const by = commits.filter(({ changed }) => changed.some((file) => file.path === path));
    const ids = by.slice(0, 3).map(({ id }) => short(id));
    return ids.length === 0 ? what : `${what} (commit ${ids.join(", ")})`;
  });
}

/** Whether the default branch had the commit until somebody rewrote it: amended, squashed, `git pull --rebase`. */
async function wasThere(
  { tree: { git } }: Pick<BranchGuard, "tree">,
  { head, into, commits }: GuardedBranch,
): Promise<(commit: BranchCommit) => boolean> {
  const left = await git.forkPoint(head, into);
  const had = left === undefined ? new Set() : upTo(left, commits);
  return ({ id }) => had.has(id);
}

/**
 * Old commits of the default branch that the branch still has, although the default branch was rewritten since:
 * work on top of them cannot be handed in.
 */
export async function leftOfRewrite(
  guard: Pick<BranchGuard, "tree">,
  branch: GuardedBranch,
): Promise<string[]> {
  const { before } = judged(branch);
  return before.length === 0
    ? []
    : toldOfRewrite(branch, before.filter(await wasThere(guard, branch)));
}

function toldOfRewrite(branch: GuardedBranch, old: readonly BranchCommit[]): string[] {
  const into = branch.into.replace(/^refs\/heads\//, "");
  // The remedy comes first, since a card of the inbox shows only the beginning.
  return sentences(
    `${quoted(into)} was rewritten, and the branch has what it was. In the branch's work tree ` +
      `(git worktree list): git rebase --fork-point ${
        shellWord(into)
      }. Then unblock it. It still has`,
    old.map(commitLine),
  );
}

async function foreignOn(
  guard: BranchGuard,
  branch: GuardedBranch,
  before: readonly BranchCommit[],
): Promise<string[]> {
  if (before.length === 0) return [];
  const old = await wasThere(guard, branch);
  return [
    ...toldOfRewrite(branch, before.filter(old)),
    ...sentences(
      "commits that neither a job nor a person says it made",
      before.filter((commit) => !old(commit)).map(commitLine),
      'Look at each with git show. One that may stay gets the trailer "Svc-Role: person" (git ' +
        'commit --amend --no-edit --trailer "Svc-Role: person"), or goes from the branch',
    ),
  ];
}

const sentences = (what: string, lines: readonly string[], way?: string) =>
  lines.length === 0 ? [] : [`${what}: ${some(lines).join("; ")}${way ? `. ${way}` : ""}`];

/** All commits: a role's programs may call git too. @throws Failure of git; `conflict` */
export async function guardBranch(guard: BranchGuard, branch: GuardedBranch): Promise<GuardResult> {
  const { now, before, roleOf } = judged(branch);
  const secrets = await secretsOn(guard, branch);
  const kept = await protectedOn(guard, branch, roleOf);
  const oldest = now.at(-1)?.id;
  return {
    objections: [
      ...sentences(
        "commits that git_commit did not make",
        now.map(commitLine),
        `Take them back with git reset --soft ${short(oldest ?? "")}^, then use git_commit`,
      ),
      ...sentences(
        "secrets in its commits",
        secrets,
        "A later commit does not take them out of the branch: take those commits back and make " +
          "them anew, or have a person delete the branch; a key that was real is spent",
      ),
      ...sentences(
        "protected files",
        kept,
        "Put them back as they were; a person changes them on the default branch",
      ),
    ],
    foreign: await foreignOn(guard, branch, before),
  };
}
