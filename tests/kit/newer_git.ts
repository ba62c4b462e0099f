/** git of Debian's testing release, 2.53 and later; Debian 12 has 2.39, which knows no reftable (git 2.45). */
import { byItsLoader, debianProgram } from "./debian_program.ts";

/** As its own GIT_EXEC_PATH: git starts itself for some of its verbs. */
const SCRIPT = `export GIT_EXEC_PATH=$here/core\n${byItsLoader("usr/bin/git")}`;

const folder = await debianProgram({
  name: "newer-git",
  packages: ["git", "libc6", "libpcre2-8-0", "zlib1g"],
  scripts: { "core/git": SCRIPT },
});

/** Undefined where it could not be fetched. */
export const NEWER_GIT_PATH: string | undefined = folder &&
  `${folder}/core:/usr/local/bin:/usr/bin:/bin`;
