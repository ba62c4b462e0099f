/** Secret values in a repo's `.harness/.env*`, which no model, trace or client may see. */
import { LOCAL_ENV_BYTES, LOCAL_ENV_FILES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { isSecretSetting } from "svc/features/settings/known_secrets.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { envPairs } from "./env_lines.ts";

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

/** @param folder the registered checkout; links in it are not followed */
export async function localSecrets(folder: Pick<Folder, "list" | "read">): Promise<string[]> {
  const { entries } = await orNothing(folder.list(".harness"), {
    entries: [],
    more: 0,
    skipped: 0,
  });
  const files = entries.filter(({ name, kind }) => kind === "file" && /^\.env/i.test(name));
  const found = await Promise.all(
    files.slice(0, LOCAL_ENV_FILES).map(async ({ name }) => {
      const read = folder.read(`.harness/${name}`, { maxBytes: LOCAL_ENV_BYTES });
      return (await orNothing(read, undefined))?.bytes;
    }),
  );
  return found.flatMap((bytes) => envPairs(new TextDecoder().decode(bytes)))
    .filter(([name, value]) => isSecretSetting(name, value)).map(([, value]) => value);
}
