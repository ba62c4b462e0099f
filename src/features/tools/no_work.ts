/** Files in a work tree that are not the role's work: somebody's credentials, and installed packages. */
import type { CommitObjection } from "svc/features/guardrails/commit_guard.ts";
import type { StatusChange } from "svc/platform/git/git.ts";
import { withheldCredentials } from "./credential_files.ts";
import type { ToolSession } from "./tool.ts";

/** Package managers fill these, and whoever keeps one in git means to. */
const INSTALLED = /^(?:.*\/)?(?:node_modules|bower_components|\.venv|\.tox|__pycache__)(?=\/)/;

const installedIn = (path: string) => INSTALLED.exec(path)?.[0];

async function credentials(
  session: ToolSession,
  fresh: readonly StatusChange[],
  paths: readonly string[],
): Promise<CommitObjection[]> {
  // A job's own tree holds nothing of a person's: what is named there, the role has made.
  const made = session.tree.root !== session.repo.root;
  const asked = fresh.map(({ path }) => path).filter((path) => !(made && paths.includes(path)));
  const wayOut = made
    ? "add it to .gitignore; or name it in paths, if it is a sample that holds none"
    : "a person has git track it, where it holds none: git add";
  return [...await withheldCredentials(session, asked)].map((path) => ({
    reason: `${path}: its name says that it holds credentials; ${wayOut}`,
  }));
}

function installed(
  fresh: readonly StatusChange[],
  paths: readonly string[],
): CommitObjection[] {
  const named = new Set(paths.flatMap((path) => installedIn(`${path}/`) ?? []));
  const files = new Map<string, number>();
  for (const { path } of fresh) {
    const folder = installedIn(path);
    if (folder === undefined || named.has(folder)) continue;
    files.set(folder, (files.get(folder) ?? 0) + 1);
  }
  return [...files].map(([folder, count]) => ({
    reason: `${folder}/ (${count} new files): what a package manager installs; add it to ` +
      ".gitignore and commit that, or name it in paths",
  }));
}

/** @param paths that the call names; without them all that changed is meant */
export async function noWorkIn(
  session: ToolSession,
  changes: readonly StatusChange[],
  paths: readonly string[] = [],
): Promise<CommitObjection[]> {
  const fresh = changes.filter(({ kind }) => kind === "untracked");
  return [...await credentials(session, fresh, paths), ...installed(fresh, paths)];
}
