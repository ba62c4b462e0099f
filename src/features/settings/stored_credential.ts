/** Stores and removes `codehost_token` of a config file; no other byte of the file changes. */
import { Failure } from "svc/core/failure.ts";
import { planConfig } from "./edit_config.ts";
import type { Files } from "svc/platform/files/files.ts";

const KEY = ["codehost_token"];

/** GitHub's tokens have some 40 to 255 characters (docs.github.com, "About authentication to GitHub"). */
const TOKEN_LENGTH = 1024;

type ConfigFiles = Pick<Files, "makeFolder" | "readText" | "stat" | "writeAtomic">;

export interface StoredChange {
  readonly config: string;
  readonly change: "created" | "changed" | "unchanged";
}

/** Without the line end that a pipe adds. @throws Failure `usage`, which does not show it */
export function checkedToken(text: string): string {
  const token = text.trim();
  if (token !== "" && token.length <= TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new Failure(
    "usage",
    `Cannot store the credential: it is ${token === "" ? "empty" : "no token"}`,
    { remedy: "A token is one word of printable ASCII characters, as the code host shows it" },
  );
}

/** The file is readable by its owner alone afterwards. @throws Failure as `planConfig` */
export async function storeCredential(
  files: ConfigFiles,
  config: string,
  token: string,
): Promise<StoredChange> {
  const plan = await planConfig(files, config, [{ path: KEY, value: token }]);
  const folder = config.slice(0, config.lastIndexOf("/")) || "/";
  if (await files.stat(folder) === undefined) await files.makeFolder(folder);
  await plan.write({ mode: 0o600 });
  return { config, change: plan.change };
}

/** A file that is missing stays so. @throws Failure as `planConfig` */
export async function removeCredential(
  files: ConfigFiles,
  config: string,
): Promise<StoredChange> {
  if (await files.stat(config) === undefined) return { config, change: "unchanged" };
  const plan = await planConfig(files, config, [{ path: KEY, value: undefined }]);
  await plan.write();
  return { config, change: plan.change };
}
