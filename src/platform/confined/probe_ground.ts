/** A repo, and beside it what a confined Worker must not reach: ground for attempts that harm nobody if they succeed. */
import { tempFolder } from "svc/platform/files/temp_folder.ts";
import { madeRepo } from "svc/platform/git/made_repo.ts";

export const OUTSIDE_OF_GROUND = "elsewhere/secret.txt";
/** A symlink in the repo that leads out of it. */
export const LINK_OF_GROUND = "link";

/** Gone when it is disposed of. @throws Failure as `madeRepo` */
export async function probeGround(
  ports: Parameters<typeof madeRepo>[0],
): Promise<Disposable & { readonly repo: string }> {
  const made = tempFolder("confinement");
  try {
    const outside = `${made.path}/${OUTSIDE_OF_GROUND}`;
    const repo = `${made.path}/repo`;
    Deno.mkdirSync(outside.slice(0, outside.lastIndexOf("/")));
    Deno.writeTextFileSync(outside, "outside");
    await madeRepo(ports, repo);
    Deno.symlinkSync(outside, `${repo}/${LINK_OF_GROUND}`);
    return { repo, [Symbol.dispose]: () => made[Symbol.dispose]() };
  } catch (thrown) {
    made[Symbol.dispose]();
    throw thrown;
  }
}
