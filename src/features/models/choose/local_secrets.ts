/** Secret values in a repo's `.env*` files, in `.harness` and beside it, which no model, trace or client may see. */
import { LOCAL_ENV_BYTES, LOCAL_ENV_FILES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { isSecretOfApp, isSecretSetting } from "svc/features/settings/known_secrets.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { envPairs } from "./env_lines.ts";
import { loginInUrl } from "./url_login.ts";

/** Treats an absent folder or an unreadable file as empty: svc could use no key in it. */
async function orNothing<T>(look: Promise<T>, nothing: T): Promise<T> {
  try {
    return await look;
  } catch (thrown) {
    const { code } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted") throw thrown;
    return nothing;
  }
}

type Reading = Pick<Folder, "list" | "read">;

/** Names of the folder's `.env*` files; links are not followed. */
async function envFiles(folder: Reading, at: string): Promise<string[]> {
  const { entries } = await orNothing(folder.list(at), { entries: [], more: 0, skipped: 0 });
  return entries.filter(({ name, kind }) => kind === "file" && /^\.env/i.test(name))
    .slice(0, LOCAL_ENV_FILES).map(({ name }) => name);
}

async function pairsIn(folder: Reading, paths: readonly string[]) {
  const found = await Promise.all(paths.map(async (path) => {
    const read = folder.read(path, { maxBytes: LOCAL_ENV_BYTES });
    return (await orNothing(read, undefined))?.bytes;
  }));
  return found.flatMap((bytes) => envPairs(new TextDecoder().decode(bytes)));
}

/** @param folder the registered checkout */
export async function localSecrets(folder: Reading): Promise<string[]> {
  const files = await envFiles(folder, ".harness");
  const pairs = await pairsIn(folder, files.map((name) => `.harness/${name}`));
  return pairs.filter(([name, value]) => isSecretSetting(name, value)).map(([, value]) => value);
}

/**
 * Values that the repo's own `.env*` files give to names of secrets, and passwords in their URLs: a program that a role
 * runs may print them. What git tracks is no secret (decision 0088). They are hidden, and are no keys of svc's.
 */
export async function appSecrets(
  folder: Reading,
  git: Pick<GitRepo, "trackedAmong">,
): Promise<string[]> {
  const files = await envFiles(folder, ".");
  if (files.length === 0) return [];
  const tracked = await git.trackedAmong(files);
  const pairs = await pairsIn(folder, files.filter((name) => !tracked.has(name)));
  return pairs.flatMap(([name, value]) => [
    ...(isSecretOfApp(name, value) ? [value] : []),
    ...loginInUrl(value),
  ]);
}
