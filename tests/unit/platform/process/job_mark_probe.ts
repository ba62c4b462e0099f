/** Prints what shows that this process belongs to a job. */
import { WHOLE } from "svc/platform/git/worktree_mark.ts";
import { jobSign, underTerminal } from "svc/platform/process/job_mark.ts";

const sign = jobSign({ variable: Deno.env.get("SVC_JOB_ID"), cwd: Deno.cwd(), treeMark: WHOLE });
console.log(JSON.stringify({ sign, terminal: underTerminal() }));
