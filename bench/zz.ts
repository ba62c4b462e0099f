import { jobSign } from "svc/platform/process/job_mark.ts";
for (let i = 0; i < 4; i++) {
  const t2 = performance.now();
  jobSign({ variable: undefined, cwd: "/tmp", treeMark: "svc-worktree" });
  const t3 = performance.now();
  console.log((t3 - t2).toFixed(2));
}
