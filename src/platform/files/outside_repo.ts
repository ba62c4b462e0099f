/** Runtime state must live outside every git work tree (spec section 1, rule 4). */
import { Failure } from "svc/core/failure.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import { attempt, osCode } from "./os_errors.ts";

/** Follows links of the path, or of the folder around it that is there. @throws Failure for a path that leads nowhere */
async function realFolder(path: string): Promise<string> {
  return await attempt("look up", path, async () => {
    for (let at = path;; at = at.slice(0, at.lastIndexOf("/")) || "/") {
      try {
        return await Deno.realPath(at);
      } catch (thrown) {
        if (osCode(thrown) !== "ENOENT" || at === "/") throw thrown;
      }
    }
  });
}

async function holdsRepo(folder: string): Promise<boolean> {
  const present = async (name: string) =>
    await Deno.lstat(`${folder}/${name}`).then(() => true, () => false);
  if (await present(".git")) return true;
  return await present("HEAD") && await present("objects") && await present("refs");
}

export async function repoHolding(path: string): Promise<string | undefined> {
  let folder = await realFolder(path);
  while (folder !== "") {
    if (await holdsRepo(folder)) return folder;
    folder = folder.slice(0, folder.lastIndexOf("/"));
  }
  return await holdsRepo("/") ? "/" : undefined;
}

/** @throws Failure `usage` */
export async function refuseInsideRepo(path: string, what: string): Promise<void> {
  // A server keeps its files to itself.
  if (isServerAddress(path)) return;
  const repo = await repoHolding(path);
  if (repo === undefined) return;
  throw new Failure("usage", `Cannot use ${what} "${path}": it lies inside the repo "${repo}"`, {
    remedy: `Choose a path outside every repo, such as one under ~/.svc, or leave ${what} out`,
  });
}
