/** Whether work can go on in the target repo: git operations under way, a branch, worktrees left over. */
import { error, type Finding, ok, type Probe, warning } from "svc/features/doctor/probe.ts";

export const workflow: Probe = {
  id: "workflow",
  about: "state of the checkout, and worktrees left over",
  async run({ repo, home, files }) {
    const findings: Finding[] = [];
    if (repo !== undefined) {
      const { operation, branch, root } = repo.git;
      if (operation !== undefined) {
        findings.push(error(`a ${operation} is under way in ${root}`, `git ${operation} --abort`));
      }
      if (branch === undefined) {
        findings.push(warning(`HEAD of ${root} is detached`, `git -C ${root} switch main`));
      }
      if (findings.length === 0) findings.push(ok(`on branch ${branch}`));
    }
    const { worktrees } = home();
    if (await files.stat(worktrees) !== undefined) {
      const left = (await files.list(worktrees)).entries;
      if (left.length > 0) {
        findings.push(
          warning(`${left.length} repos have worktrees in ${worktrees}`, `ls ${worktrees}`),
        );
      }
    }
    return findings;
  },
};
