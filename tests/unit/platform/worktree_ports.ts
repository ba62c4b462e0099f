/** A repo, a home for work trees beside it, and the real parts that work on both. */
import { systemClock } from "svc/platform/clock.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { worktreesOver } from "svc/platform/git/worktree.ts";
import { denoProcesses, type Processes } from "svc/platform/process/process.ts";
import { type RepoPlan, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { commitPorts, ENV } from "./commit_ports.ts";

/** Work trees of the repo at `path`, made below `home`. */
export async function worktreePorts(
  path: string,
  home: string,
  processes: Processes = denoProcesses(),
) {
  const ports = await commitPorts(path, { processes });
  const { files, commits } = ports;
  const worktrees = worktreesOver({
    ...{ processes, env: ENV, files, commits, clock: systemClock, openFolder },
    home: () => home,
  });
  return { ...ports, worktrees };
}

export async function yard(plan: RepoPlan, processes?: Processes) {
  const repo = await tempRepo({ commit: true, ...plan });
  const home = await tempFolder("svc-worktrees-");
  const ports = await worktreePorts(repo.path, home.path, processes);
  return {
    ...ports,
    place: ports.repo,
    repo,
    home: home.path,
    /** What plain git and the eye see. */
    async seen() {
      const [status, head] = [
        await repo.git("status", "--porcelain=v1"),
        await repo.git("rev-parse", "HEAD"),
      ];
      return { status, head: head.trim() };
    },
    /** A branch "svc/work" with one commit of these files; the checkout stays on main. */
    async branch(files: Readonly<Record<string, string | null>>, name = "svc/work") {
      await repo.git("checkout", "--quiet", "-b", name);
      for (const [file, content] of Object.entries(files)) {
        if (content === null) await repo.git("rm", "--quiet", file);
        else await repo.write(file, content);
      }
      const id = await repo.commit("work");
      await repo.git("checkout", "--quiet", "main");
      return id;
    },
    async [Symbol.asyncDispose]() {
      ports[Symbol.dispose]();
      await home[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}
