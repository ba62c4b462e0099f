/** Reads one small text file of a repo through its contained folder. */
import { Failure } from "svc/core/failure.ts";
import type { FileContent, Folder } from "svc/platform/files/folder.ts";

export interface RepoText {
  readonly text: string;
  /** The file as it was read, so that a write can detect a change in between. */
  readonly content: FileContent;
}

/** @returns undefined when absent. @throws Failure `environment` when it is too large or not UTF-8 */
export async function readRepoText(
  folder: Pick<Folder, "read">,
  path: string,
  maxBytes: number,
): Promise<RepoText | undefined> {
  const content = await folder.read(path, { maxBytes }).catch((thrown) => {
    if (thrown instanceof Failure && thrown.code === "not_found") return undefined;
    throw thrown;
  });
  if (content === undefined) return undefined;
  if (content.truncated) {
    throw new Failure("environment", `Cannot read "${path}": it is larger than ${maxBytes} bytes`, {
      remedy: `Shorten ${path}`,
    });
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(content.bytes), content };
  } catch (cause) {
    throw new Failure("environment", `Cannot read "${path}": it is not UTF-8`, {
      cause,
      remedy: `Save ${path} as UTF-8`,
    });
  }
}
