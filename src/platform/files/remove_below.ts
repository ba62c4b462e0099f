/** Removes what svc keeps below its home: a link is removed as a link, whatever it leads to. */
import { repoPath } from "svc/core/repo_path.ts";
import { listing } from "./disk.ts";
import { HeldFolder } from "./held_folder.ts";
import { attempt, Blocked, osCode } from "./os_errors.ts";

/** Below the home, that which may go: evidence, caches, and copies of a database that a kill cut short. */
const OWN = /^(?:(?:traces|cache)\/.+|db\/[^/]+\/\.[^/]+\.partial)$/;

/** Each level holds a descriptor; svc itself makes no such tree. */
const DEEPEST = 200;

export interface Removed {
  readonly files: number;
  readonly bytes: number;
}

/** @param path below the home, such as `traces/outputs/<job>` */
export type RemoveOwn = (path: string) => Promise<Removed>;

const NOTHING: Removed = { files: 0, bytes: 0 };

/** What is gone already counts as removed. @throws Failure that names the path; `refused` for a link on the way */
export const removeOwn = (home: () => string): RemoveOwn => (path) => {
  const root = home();
  return attempt("remove", `${root}/${path}`, async () => {
    const names = OWN.test(path) ? repoPath(path).split("/") : [];
    const name = names.pop();
    if (name === undefined) throw new Blocked("NotCapable", "svc does not remove such a path");
    try {
      // The home itself may be a link of the user's; nothing below it is followed.
      using top = HeldFolder.folder(await Deno.realPath(root));
      using parent = top.walk(names);
      return await removeHeld(parent, name, DEEPEST);
    } catch (thrown) {
      if (osCode(thrown) === "ENOENT") return NOTHING;
      throw thrown;
    }
  });
};

async function removeHeld(parent: HeldFolder, name: string, levels: number): Promise<Removed> {
  const facts = parent.facts(name);
  if (facts === undefined) return NOTHING;
  if (facts.kind !== "folder") {
    await Deno.remove(parent.at(name));
    // Another name of the same content keeps its room.
    return { files: 1, bytes: facts.links > 1 ? 0 : facts.size };
  }
  if (levels === 0) throw new Blocked("too_large", `it has more than ${DEEPEST} levels of folders`);
  let { files, bytes } = NOTHING;
  {
    using folder = parent.walk([name]);
    for (let more = 1; more > 0;) {
      const found = await listing(folder.path, () => true);
      for (const entry of found.entries) {
        const inner = await removeHeld(folder, entry.name, levels - 1);
        files += inner.files;
        bytes += inner.bytes;
      }
      more = found.more;
    }
  }
  await Deno.remove(parent.at(name));
  return { files, bytes };
}
