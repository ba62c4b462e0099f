/** `.harness/.env.local`: keys of this machine's user, ignored by git, readable by the owner only. */
import { LOCAL_ENV_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { isKeyValue, readEnvLine, withEnvLine } from "./env_lines.ts";
import { readRepoText, type RepoText } from "./repo_text.ts";

export const LOCAL_ENV_PATH = ".harness/.env.local";

export interface Warning {
  readonly text: string;
  readonly remedy: string;
}

interface LocalEnvPorts {
  readonly repo: Pick<GitRepo, "trackingOf" | "root">;
  readonly folder: Pick<Folder, "read" | "write" | "makeFolder">;
}

const IGNORE = `echo ${LOCAL_ENV_PATH} >> .gitignore`;

/** Ignores a file that git tracks: the repo must not choose whose account sees the code. */
export async function readLocalEnv(
  { repo, folder }: { repo: Pick<GitRepo, "trackingOf">; folder: Pick<Folder, "read"> },
  name: string,
): Promise<{ readonly value?: string; readonly warnings: readonly Warning[] }> {
  const found = await readRepoText(folder, LOCAL_ENV_PATH, LOCAL_ENV_BYTES);
  const value = found && readEnvLine(found.text, name);
  if (found === undefined || value === undefined) return { warnings: [] };
  const tracking = await repo.trackingOf(LOCAL_ENV_PATH);
  if (tracking === "tracked") {
    const text = `${LOCAL_ENV_PATH} is tracked by git, so no key is read from it`;
    const remedy = `git rm --cached ${LOCAL_ENV_PATH}; and revoke the keys in it`;
    return { warnings: [{ text, remedy }] };
  }
  const warnings: Warning[] = [];
  if (tracking === "untracked") {
    warnings.push({ text: `${LOCAL_ENV_PATH} is not ignored by git`, remedy: IGNORE });
  }
  if ((found.content.mode & 0o077) !== 0) {
    const text = `${LOCAL_ENV_PATH} can be read by other users`;
    warnings.push({ text, remedy: `chmod 600 ${LOCAL_ENV_PATH}` });
  }
  return { value, warnings };
}

interface LocalEnvPlan {
  readonly change: "added" | "replaced" | "unchanged";
  readonly text: string;
  readonly old: RepoText | undefined;
}

/** @throws Failure `usage` for a value that is no key, `refused` when git keeps or would keep the file */
export async function planLocalEnv(
  { repo, folder }: LocalEnvPorts,
  name: string,
  value: string,
): Promise<LocalEnvPlan> {
  const doing = `Cannot write "${name}" to "${LOCAL_ENV_PATH}"`;
  if (!isKeyValue(value)) {
    throw new Failure("usage", `${doing}: its value is no key of a provider`, {
      remedy: "A key is one word of printable ASCII characters; set the variable again",
    });
  }
  const tracking = await repo.trackingOf(LOCAL_ENV_PATH);
  if (tracking === "tracked") {
    throw new Failure("refused", `${doing}: git tracks that file`, {
      remedy: `git rm --cached ${LOCAL_ENV_PATH}; then ${IGNORE}`,
    });
  }
  if (tracking === "untracked") {
    throw new Failure("refused", `${doing}: git does not ignore that file`, { remedy: IGNORE });
  }
  const old = await readRepoText(folder, LOCAL_ENV_PATH, LOCAL_ENV_BYTES);
  const text = withEnvLine(old?.text ?? "", name, value);
  const before = old && readEnvLine(old.text, name);
  const tight = old !== undefined && (old.content.mode & 0o777) === 0o600;
  const change = before === undefined
    ? "added"
    : text === old?.text && tight
    ? "unchanged"
    : "replaced";
  return { change, text, old };
}

/** @throws Failure `conflict` when the file changed meanwhile */
export async function writeLocalEnv(
  folder: LocalEnvPorts["folder"],
  { text, old }: LocalEnvPlan,
): Promise<void> {
  await folder.makeFolder(".harness");
  const bytes = new TextEncoder().encode(text);
  await folder.write(LOCAL_ENV_PATH, bytes, { mode: 0o600, expected: old?.content ?? null });
}
