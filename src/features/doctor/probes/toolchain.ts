/** The programs that svc itself and its agents need. */
import { ok, type Probe } from "svc/features/doctor/probe.ts";

export const toolchain: Probe = {
  id: "toolchain",
  about: "Deno and git",
  async run({ runtime, git }) {
    const { deno, target, build } = runtime;
    return [
      ok(`svc runs on Deno ${deno} (${target}, ${build})`),
      // An old or missing git is thrown as a failure that says what to do.
      ok(`git ${await git.version()}`),
    ];
  },
};
