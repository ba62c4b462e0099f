/** Reads what one call of git answers: a single line, or a list item by item while git prints it. */
import { GIT_PATHS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import type { CallGit, GitCall } from "./call.ts";
import { Items, Stretches } from "./output.ts";

const KEPT_BYTES = 4096;

/** Trimmed; undefined for an exit code other than 0 that is in `answers`. */
export async function lineOf(git: CallGit, doing: string, args: readonly string[], answers = [0]) {
  const { code, stdout } = await git({ doing, args, answers });
  return code === 0 ? capturedText(stdout).trim() : undefined;
}

/** What `visit` throws ends git. */
export async function eachItem(
  git: CallGit,
  call: GitCall,
  visit: (item: Uint8Array) => void,
  end: "NUL" | "LF" = "NUL",
): Promise<void> {
  const items = new Items(end);
  await git({
    ...call,
    maxOutputBytes: KEPT_BYTES,
    onOutput(chunk, stream) {
      if (stream === "stderr") return;
      for (const item of items.push(chunk)) visit(item);
    },
  });
}

/** @throws Failure `refused` */
export function refuseTooMany(doing: string, found: readonly unknown[]): void {
  if (found.length <= GIT_PATHS) return;
  throw new Failure("refused", `Cannot ${doing}: there are more than ${GIT_PATHS}`);
}

/** All of them. @throws Failure `refused` for more than svc looks at */
export async function items<T>(
  git: CallGit,
  call: GitCall,
  read: (item: Uint8Array) => T,
  end?: "NUL" | "LF",
): Promise<T[]> {
  const found: T[] = [];
  await eachItem(git, call, (item) => {
    found.push(read(item));
    refuseTooMany(call.doing, found);
  }, end);
  return found;
}

/** As `eachItem`, with many whole items at a time, each ended by its NUL. */
export async function eachStretch(
  git: CallGit,
  call: GitCall,
  visit: (stretch: Uint8Array) => void,
): Promise<void> {
  const stretches = new Stretches();
  await git({
    ...call,
    maxOutputBytes: KEPT_BYTES,
    onOutput(chunk, stream) {
      const stretch = stream === "stderr" ? undefined : stretches.push(chunk);
      if (stretch !== undefined) visit(stretch);
    },
  });
}
