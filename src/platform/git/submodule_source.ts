/** The submodules of a checkout, as far as it has them: no URL, no name of `.gitmodules` and no network takes part. */
import { Failure } from "svc/core/failure.ts";
import { items } from "./answers.ts";
import { type CallGit, gitIn, type GitRunner } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { commitsAt } from "./named.ts";
import { indexEntry, SUBMODULE } from "./output.ts";

export interface Gitlink {
  readonly path: string;
  /** The commit that the repo names. */
  readonly oid: string;
}

type OpenPlace = (path: string) => Promise<GitLocation>;

/** Those that the index has, with names that svc can use. */
export async function gitlinksIn(git: CallGit, doing: string): Promise<Gitlink[]> {
  const entries = await items(git, { doing, args: ["ls-files", "--stage", "-z"] }, indexEntry);
  return entries.filter(({ mode, usable }) => mode === SUBMODULE && usable);
}

/** Undefined for one that the checkout has not initialised, or that a link leads away from.
 * @throws Failure as `Git.open`: its git folder must lead back to it */
export async function submoduleAt(
  open: OpenPlace,
  root: string,
  path: string,
): Promise<GitLocation | undefined> {
  const at = `${root}/${path}`;
  const initialised = await Deno.lstat(`${at}/.git`).then(
    () => true,
    (thrown) => {
      if (thrown instanceof Deno.errors.NotFound || thrown instanceof Deno.errors.NotADirectory) {
        return false;
      }
      throw new Failure("environment", `Cannot look at "${at}"`, { cause: thrown });
    },
  );
  if (!initialised) return undefined;
  const place = await open(at);
  return place.root === at ? place : undefined;
}

export async function hasCommit(
  runner: GitRunner,
  place: GitLocation,
  doing: string,
  oid: string,
): Promise<boolean> {
  return (await commitsAt(gitIn(runner, place), doing, [oid]))[0] !== undefined;
}
