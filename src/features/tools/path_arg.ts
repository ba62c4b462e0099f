/** Arguments that name a path: checked before the policy is asked, so that it sees what is used. */
import { z } from "zod";
import { Failure } from "svc/core/failure.ts";
import { protectionOf, quoted, type RepoPath, repoPath } from "svc/core/repo_path.ts";

/** Many models write a leading `./` or a final `/`. */
const plain = (path: string) => path.replace(/^(?:\.\/+)+(?=.)/, "").replace(/(?<=[^/])\/+$/, "");

function checked(path: string, context: z.RefinementCtx): string {
  try {
    return repoPath(plain(path));
  } catch (thrown) {
    const { message } = Failure.from(thrown);
    const why = message.slice(message.lastIndexOf('": ') + 3);
    context.addIssue({ code: "custom", message: `${why}; paths are relative to the repo's root` });
    return z.NEVER;
  }
}

export function filePath(about = "Relative to the repo's root") {
  return z.string().transform(checked).describe(about);
}

/** "." is the root. */
export function anyPath(about: string) {
  return z.string().transform((path, context) => plain(path) === "." ? "." : checked(path, context))
    .describe(about);
}

/** Files of `.harness` that hold no keys. */
const HARNESS_TEXTS =
  /^\.harness\/(?:manifest\.yaml|metadata\.json|guardrails|model-(?:overrides|routing)\.yaml|roles|skills)/i;

/** Git's settings and `.harness/.env*` may hold credentials. */
export function isReadable(path: string): boolean {
  const protection = protectionOf(path as RepoPath);
  return protection !== "git" && (protection !== "harness" || HARNESS_TEXTS.test(path));
}

/** @throws Failure `refused` */
export function mustBeReadable(path: string): void {
  if (isReadable(path)) return;
  throw new Failure("refused", `Cannot read ${quoted(path)}: it may hold credentials`, {
    remedy: "Do without it; for git's state there are git_status, git_diff and git_log",
  });
}
