/** Finds files to which a filter or merge driver of the repo applies. */
import { joinBytes } from "svc/core/bytes.ts";
import { eachItem } from "./answers.ts";
import { type CallGit, namesDriver, refuseDriver } from "./call.ts";

export interface DriverQuery {
  readonly doing: string;
  /** As git lists them; names that are not UTF-8 as bytes. */
  readonly paths: readonly (string | Uint8Array)[];
  readonly attributes: readonly ("filter" | "merge")[];
  /** Where `.gitattributes` are read: in the index that `git` uses, or first in the work tree. */
  readonly from: "index" | "work tree";
}

const NUL = new Uint8Array(1);

/** Each path is ended by NUL, so that no name is read as something else. */
function nulEnded(paths: DriverQuery["paths"]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  return joinBytes(
    paths.flatMap((path) => [typeof path === "string" ? encoder.encode(path) : path, NUL]),
  );
}

export interface DrivenFile {
  readonly path: string;
  readonly attribute: string;
  readonly driver: string;
}

/** In the order of the paths. */
export async function drivenFiles(git: CallGit, query: DriverQuery): Promise<DrivenFile[]> {
  if (query.paths.length === 0) return [];
  const found: DrivenFile[] = [];
  const decoder = new TextDecoder();
  let answer: string[] = [];
  const call = {
    doing: query.doing,
    args: [
      ...["check-attr", "-z", "--stdin"],
      ...(query.from === "index" ? ["--cached"] : []),
      ...query.attributes,
    ],
    stdin: nulEnded(query.paths),
  };
  await eachItem(git, call, (item) => {
    answer.push(decoder.decode(item));
    if (answer.length < 3) return;
    const [path, attribute, driver] = answer as [string, string, string];
    if (namesDriver(attribute, driver)) found.push({ path, attribute, driver });
    answer = [];
  });
  return found;
}

/** @throws Failure `refused` */
export async function refuseDriven(git: CallGit, query: DriverQuery): Promise<void> {
  const [first] = await drivenFiles(git, query);
  if (first !== undefined) refuseDriver(query.doing, first.path, first.attribute, first.driver);
}
