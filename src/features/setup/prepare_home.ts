/** Makes the svc home of a user, readable by them alone. */
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { Files } from "svc/platform/files/files.ts";

export interface HomeState {
  readonly path: string;
  readonly change: "created" | "unchanged";
  /** Other users can read the folder; svc does not change the permissions of an existing folder. */
  readonly open: boolean;
}

/** Writes nothing. @throws Failure `environment` where something else has the name */
export async function homeState(
  files: Pick<Files, "stat">,
  path: string,
): Promise<HomeState> {
  const facts = await files.stat(path);
  if (facts === undefined) return { path, change: "created", open: false };
  // A link may lead to a folder on another disk; writing through it tells.
  if (facts.kind === "folder" || facts.kind === "symlink") {
    return {
      path,
      change: "unchanged",
      open: facts.kind === "folder" && (facts.mode & 0o077) !== 0,
    };
  }
  throw new Failure("environment", `Cannot make the svc home: "${path}" is no folder`, {
    remedy: `mv ${shellWord(path)} ${shellWord(`${path}.old`)}, or export SVC_HOME=/another/folder`,
  });
}
