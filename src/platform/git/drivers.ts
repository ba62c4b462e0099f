/** Refuses files to which a filter or merge driver of the repo applies. */
import { gitPath } from "svc/core/git_args.ts";
import { eachItem } from "./answers.ts";
import { type CallGit, refuseDriver } from "./call.ts";

interface DriverQuery {
  readonly doing: string;
  readonly paths: readonly string[];
  readonly attributes: readonly ("filter" | "merge")[];
  /** Where `.gitattributes` are read: in the index that `git` uses, or first in the work tree. */
  readonly from: "index" | "work tree";
}

/** @throws Failure `refused` */
export async function refuseDriven(git: CallGit, query: DriverQuery): Promise<void> {
  if (query.paths.length === 0) return;
  const decoder = new TextDecoder();
  let answer: string[] = [];
  const call = {
    doing: query.doing,
    args: [
      ...["check-attr", "-z", "--stdin"],
      ...(query.from === "index" ? ["--cached"] : []),
      ...query.attributes,
    ],
    stdin: new TextEncoder().encode(query.paths.map((path) => `${gitPath(path)}\0`).join("")),
  };
  await eachItem(git, call, (item) => {
    answer.push(decoder.decode(item));
    if (answer.length < 3) return;
    const [path, attribute, value] = answer as [string, string, string];
    refuseDriver(query.doing, path, attribute, value);
    answer = [];
  });
}
