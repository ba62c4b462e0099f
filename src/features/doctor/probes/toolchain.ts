/** The programs that svc itself and its agents need. */
import { ok, type Probe } from "svc/features/doctor/probe.ts";
import { OLDEST_GIT } from "svc/platform/git/git.ts";

export const toolchain: Probe = {
  id: "toolchain",
  about: "Deno and git",
  async run({ runtime, git }) {
    const { deno, target, build } = runtime;
    return [
      ok(`svc runs on Deno ${deno} (${target}, ${build})`),
      // An old or missing git is thrown as a failure that says what to do. Whether it has the mend of
      // CVE-2025-48384 its version does not tell, since distributions put it into old ones; svc
      // updates no submodules, which is what that takes.
      ok(`git ${await git.version()} (${OLDEST_GIT} or newer is needed)`),
    ];
  },
};
