/** `git_commit`: keeps the change on the branch of the work tree, once no secret and no protected file is in it. */
import { z } from "zod";
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import {
  acceptingBranch,
  type CommitObjection,
  protectedIn,
  secretsIn,
  SVC_KEY,
} from "svc/features/guardrails/commit_guard.ts";
import { allRules } from "svc/features/guardrails/all_rules.ts";
import type { SourceFile } from "svc/features/guardrails/secret_scan.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import type { Status, StatusChange } from "svc/platform/git/git.ts";
import type { FileChange } from "svc/platform/git/commit.ts";
import { commitMessage, isConventional } from "./commit_message.ts";
import { CREDENTIALS_WHY, withheldCredentials } from "./credential_files.ts";
import { noWorkIn } from "./no_work.ts";
import { anyPath } from "./path_arg.ts";
import { tool, type ToolAnswer, type ToolSession } from "./tool.ts";

const DOING = "commit";
/** Files named in one refusal. */
const SHOWN = 10;

const NO_SECRET =
  "Where one is no secret, such as a sample that was there before, finish as blocked " +
  "and say so. A person, never a role, accepts it in the checkout and commits that: " +
  "svc guardrails secret-scan --write-baseline";

const refuse = (text: string): ToolAnswer => ({ ok: false, text });

/** Default branches, where no manifest names one. */
const USUAL_MAIN = ["main", "master"];

/** A job commits on its `svc/…` branch; a model on the checkout on any but the default one; a person on any. */
export function branchFault(session: ToolSession, { branch }: Status): string | undefined {
  const { repo, tree, manifest, byHand } = session;
  const ownTree = tree.root !== repo.root;
  const wayOut = ownTree
    ? "Finish as blocked and say so"
    : "Switch to a branch first, such as: git switch -c svc/topic; or leave it to your user";
  if (branch === undefined) return `Cannot commit: HEAD is on no branch. ${wayOut}`;
  const mains = manifest === undefined ? USUAL_MAIN : [manifest.project.default_branch];
  const isMain = mains.includes(branch);
  if (ownTree && (isMain || !branch.startsWith("svc/"))) {
    return `Cannot commit on ${quoted(branch)}: a job commits on its own branch svc/… alone. ` +
      wayOut;
  }
  if (ownTree || byHand || !isMain) return undefined;
  return `Cannot commit on ${quoted(branch)}: the default branch takes work by a merge alone. ` +
    wayOut;
}

/** @throws Failure `usage`, `not_found` for a path without a change */
function wanted(
  changes: readonly StatusChange[],
  paths: readonly string[] | undefined,
): StatusChange[] {
  if (paths === undefined || paths.includes(".")) return [...changes];
  const found = new Set<StatusChange>();
  for (const path of paths) {
    const below = changes.filter((one) => one.path === path || one.path.startsWith(`${path}/`));
    if (below.length === 0) {
      throw new Failure("not_found", `Cannot commit ${quoted(path)}: nothing changed there`, {
        remedy: "git_status lists what changed",
      });
    }
    for (const one of below) found.add(one);
  }
  return [...found];
}

/** Checked per file, since a call may name folders or nothing. */
export function protectedHere(
  { role, manifest, hookFolders }: ToolSession,
  changes: readonly StatusChange[],
): CommitObjection[] {
  const guardrails = guardrailsOf(manifest, hookFolders);
  return changes.flatMap((change) =>
    change.usable && change.kind === "conflict"
      ? [{ reason: `${change.path}: a conflict that is not settled` }]
      : protectedIn([change], { role, guardrails })
  );
}

export async function noFilesIn(
  { tree: { folder } }: ToolSession,
  changes: readonly StatusChange[],
): Promise<CommitObjection[]> {
  const kept: CommitObjection[] = [];
  for (const { path, usable } of changes) {
    const kind = usable ? (await folder.stat(path))?.kind : undefined;
    if (kind === undefined || kind === "file") continue;
    kept.push({ reason: `${path}: ${NO_FILE[kind]}` });
  }
  return kept;
}

const NO_FILE = {
  symlink: "a symbolic link, which git itself has to commit",
  folder: "a repo of its own, such as a submodule; a person commits which of its commits counts",
  other: "no regular file",
} as const;

function keptOut(kept: readonly CommitObjection[]): ToolAnswer | undefined {
  if (kept.length === 0) return undefined;
  const list = listed(kept.map(({ reason }) => reason));
  const text = `Cannot commit these files; undo them, or name the others with paths:\n${list}`;
  const denied = kept.find(({ remedy }) => remedy !== undefined);
  if (denied === undefined) return refuse(text);
  const remedy = `${denied.remedy}; or commit the other files, by paths`;
  return { ...refuse(text), denied: { by: "guardrails", reason: denied.reason, remedy } };
}

/** In the checkout these are a person's. Committed, they would be tracked, and so shown and pushed. */
async function personsCredentials(
  session: ToolSession,
  changes: readonly StatusChange[],
): Promise<ReadonlySet<string>> {
  if (session.tree.root !== session.repo.root) return new Set();
  return await withheldCredentials(session, changes.map(({ path }) => path));
}

/** Git says nothing of what changed inside a submodule. */
async function nested({ tree: { folder } }: ToolSession): Promise<string> {
  if (await folder.stat(".gitmodules") === undefined) return "";
  return ". Files inside a submodule belong to another repo, where a job commits nothing";
}

/** Each file is read once: the scanned bytes are the committed ones. */
export async function contents(
  { tree: { folder } }: ToolSession,
  changes: readonly StatusChange[],
): Promise<FileChange[]> {
  const files: FileChange[] = [];
  for (const { path } of changes) {
    const facts = await folder.stat(path);
    if (facts === undefined) {
      files.push({ path, bytes: null, before: null });
      continue;
    }
    const { bytes, truncated, sha256, mode } = await folder.read(path, {
      maxBytes: FILE_WRITE_BYTES,
    });
    if (truncated) {
      throw new Failure(
        "refused",
        `Cannot commit ${quoted(path)}: it is larger than ${FILE_WRITE_BYTES} bytes`,
        {
          remedy: "Name the other files with paths, or take it out of the work tree",
        },
      );
    }
    files.push({ path, bytes, before: sha256, executable: (mode & 0o100) !== 0 });
  }
  return files;
}

/** For the scan of what is about to be committed. */
export function addedFiles(files: readonly FileChange[], messages: readonly string[]) {
  return {
    messages,
    paths: files.map(({ path }) => path),
    each(visit: (file: SourceFile) => void) {
      for (const { path, bytes } of files) if (bytes !== null) visit({ path, bytes });
      return Promise.resolve();
    },
  };
}

const listed = (lines: readonly string[]) =>
  [...lines.slice(0, SHOWN), ...(lines.length > SHOWN ? [`and ${lines.length - SHOWN} more`] : [])]
    .map((line) => `- ${line}`).join("\n");

async function commit(
  session: ToolSession,
  { message, paths }: { message: string; paths?: readonly string[] | undefined },
): Promise<ToolAnswer> {
  const looking = session.tree.git.status();
  allRules(); // compiled while git looks
  const status = await looking;
  const fault = branchFault(session, status);
  if (fault !== undefined) return refuse(fault);
  const asked = wanted(status.changes, paths);
  const persons = await personsCredentials(session, asked);
  const named = paths?.find((path) => persons.has(path));
  if (named !== undefined) {
    const way = "Leave it where it is; where it is meant to be committed, a person has git track " +
      "it: git add";
    return refuse(`Cannot commit ${quoted(named)}: ${CREDENTIALS_WHY}. ${way}`);
  }
  const changes = asked.filter(({ path }) => !persons.has(path));
  const left = persons.size === 0
    ? []
    : [`Left out, since each is a person's file of credentials:\n${listed([...persons])}`];
  if (changes.length === 0) {
    const none = persons.size === 0 ? "no file" : "no other file";
    return refuse(
      [
        `Nothing to commit: ${none} differs from the last commit${await nested(session)}`,
        ...left,
      ].join("\n"),
    );
  }
  const kept = keptOut([
    ...protectedHere(session, changes),
    ...await noWorkIn(session, changes, paths),
    ...await noFilesIn(session, changes),
  ]);
  if (kept !== undefined) return kept;
  const files = await contents(session, changes);
  const text = commitMessage(message, session);
  const { suspects: secrets, accepted } = await secretsIn(
    addedFiles(files, [text]),
    { ...acceptingBranch(session.tree, session.manifest), withoutKeys: session.withoutKeys },
  );
  if (secrets.length > 0) {
    const acceptable = secrets.some(({ what }) => !what.endsWith(SVC_KEY));
    return refuse(
      `Cannot commit: there are secrets. Take them out and read them from the environment:\n${
        listed(secrets.map(({ what }) => what))
      }${acceptable ? `\n${NO_SECRET}` : ""}`,
    );
  }
  const { commits, git, folder } = session.tree;
  const id = await commits.commit(git, folder, { doing: DOING, changes: files, message: text });
  if (id === undefined) return refuse("Nothing to commit: the last commit holds all of it");
  await session.recordCommit?.(status.branch!, id);
  const hint = isConventional(message)
    ? []
    : ['Next time write the subject as "type(scope): what", such as "fix(users): refuse no name"'];
  return {
    ok: true,
    text: [
      `Committed ${files.length} files as ${id.slice(0, 12)} on ${status.branch}`,
      ...(accepted === 0 ? [] : [`Secrets in them that the default branch accepts: ${accepted}`]),
      ...left,
      ...hint,
    ].join("\n"),
    facts: {
      commit: id,
      files: files.length,
      accepted_secrets: accepted,
      branch: status.branch,
      conventional: hint.length === 0,
    },
  };
}

export const gitCommit = tool({
  name: "git_commit",
  about: "Commits what changed, new files too, on the current branch. Refuses secrets.",
  capability: "vcs-write",
  args: () =>
    z.strictObject({
      message: z.string().trim().min(1).max(8_000)
        .describe('Conventional Commits, such as "fix(users): refuse no name"'),
      paths: z.array(anyPath("File or folder")).min(1).max(1000).optional()
        .describe("Only these; default all that changed"),
    }),
  touches: ({ paths = [] }) => ({ writes: paths.filter((path) => path !== ".") }),
  async run(session, asked, { signal }) {
    return await session.tree.locked(DOING, () => commit(session, asked), signal);
  },
});
