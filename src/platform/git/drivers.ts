/** Looks whether a driver of a repo applies to any of many files, which svc then leaves to git itself. */
import { gitPath } from "svc/core/git_args.ts";
import { type CallGit, refuseDriver } from "./call.ts";
import { Items } from "./output.ts";

export interface DriverLook {
  readonly doing: string;
  readonly paths: readonly string[];
  readonly attributes: readonly ("filter" | "merge")[];
  /** Where `.gitattributes` files are read: the index that `git` uses, or the work tree first. */
  readonly from: "index" | "work tree";
}

/** @throws Failure `refused` naming the first such path */
export async function refuseDriven(git: CallGit, look: DriverLook): Promise<void> {
  if (look.paths.length === 0) return;
  const cut = new Items();
  const decoder = new TextDecoder();
  let answer: string[] = [];
  await git({
    doing: look.doing,
    args: [
      ...["check-attr", "-z", "--stdin"],
      ...(look.from === "index" ? ["--cached"] : []),
      ...look.attributes,
    ],
    stdin: new TextEncoder().encode(look.paths.map((path) => `${gitPath(path)}\0`).join("")),
    maxOutputBytes: 4096,
    onOutput(chunk, stream) {
      if (stream === "stderr") return;
      for (const item of cut.push(chunk)) {
        answer.push(decoder.decode(item));
        if (answer.length < 3) continue;
        const [path, attribute, value] = answer as [string, string, string];
        refuseDriver(look.doing, path, attribute, value);
        answer = [];
      }
    },
  });
}
