/** Commits what a role left uncommitted, as far as the guards of `git_commit` let it in. */
import { commitBody } from "svc/core/commit_text.ts";
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { acceptingBranch, secretsIn } from "svc/features/guardrails/commit_guard.ts";
import { MESSAGE } from "svc/features/guardrails/scan_sources.ts";
import type { StatusChange } from "svc/platform/git/git.ts";
import { commitMessage } from "./commit_message.ts";
import { addedFiles, branchFault, contents, noFilesIn, protectedHere } from "./git_commit.ts";
import { noWorkIn } from "./no_work.ts";
import type { ToolSession } from "./tool.ts";

/** More new files than this are a build's, not a role's work. */
const NEW_FILES = 1_000;

const DOING = "commit unfinished work";

export interface UnfinishedCommit {
  /** Undefined when nothing was let in. */
  readonly commit: string | undefined;
  /** What was not, and why; a line each. */
  readonly leftOut: readonly string[];
}

/** What a commit says; without its body where that would not be let in. */
export interface UnfinishedMessage {
  readonly subject: string;
  readonly body: string;
  readonly trailers: Readonly<Record<string, string>>;
}

async function objectionTo(
  session: ToolSession,
  change: StatusChange,
): Promise<string | undefined> {
  const [objection] = [
    ...protectedHere(session, [change]),
    ...await noWorkIn(session, [change]),
    ...await noFilesIn(session, [change]),
  ];
  if (objection !== undefined) return objection.reason;
  const size = (await session.tree.folder.stat(change.path))?.size ?? 0;
  if (size <= FILE_WRITE_BYTES) return undefined;
  return `${quoted(change.path)}: larger than ${FILE_WRITE_BYTES} bytes`;
}

async function commitParts(
  session: ToolSession,
  { subject, body, trailers }: UnfinishedMessage,
): Promise<UnfinishedCommit> {
  const { commits, git, folder } = session.tree;
  const status = await git.status();
  const fault = branchFault(session, status);
  if (fault !== undefined) return { commit: undefined, leftOut: [fault] };
  const fresh = status.changes.filter(({ kind }) => kind === "untracked");
  const leftOut = fresh.length > NEW_FILES ? [`${fresh.length} new files: too many`] : [];
  const allowed: StatusChange[] = [];
  for (const change of status.changes) {
    if (leftOut.length > 0 && change.kind === "untracked" && fresh.length > NEW_FILES) continue;
    const objection = await objectionTo(session, change);
    if (objection === undefined) allowed.push(change);
    else leftOut.push(objection);
  }
  const files = await contents(session, allowed);
  // Scanned before its lines are broken: a secret in two lines would not be found.
  const said = commitMessage(`${subject}\n\n${body}`, session, trailers);
  const { suspects } = await secretsIn(
    addedFiles(files, [said]),
    { ...acceptingBranch(session.tree, session.manifest), withoutKeys: session.withoutKeys },
  );
  const secret = new Set(suspects.map(({ path }) => path));
  for (const { path, what } of suspects) if (path !== MESSAGE) leftOut.push(what);
  const shown = secret.has(MESSAGE) ? "" : commitBody(session.redact(body));
  const message = commitMessage(`${subject}\n\n${shown}`, session, trailers);
  const changes = files.filter(({ path }) => !secret.has(path));
  if (changes.length === 0) return { commit: undefined, leftOut };
  try {
    const commit = await commits.commit(git, folder, { doing: DOING, changes, message });
    if (commit !== undefined) await session.recordCommit?.(status.branch!, commit);
    return { commit, leftOut };
  } catch (thrown) {
    // A driver of the repo would have to run, such as LFS's.
    const { code, message: why } = Failure.from(thrown);
    if (code !== "refused") throw thrown;
    return { commit: undefined, leftOut: [...leftOut, why] };
  }
}

export async function commitUnfinished(
  session: ToolSession,
  message: UnfinishedMessage,
  signal: AbortSignal,
): Promise<UnfinishedCommit> {
  return await session.tree.locked(DOING, () => commitParts(session, message), signal);
}
