/** Breaks of the states and of start, pause, restart and scan. */
import type { Break } from "./break.ts";

export const SECTION_3: readonly Break[] = [
  {
    ids: ["3.1:execution-profile:closed-list"],
    file: "src/core/permission.ts",
    find: '["observer", "host", "isolated"]',
    put: '["observer", "host", "isolated", "root"]',
  },
  {
    ids: ["3.1:trust-level:closed-list"],
    file: "src/cli/commands/trust/set.ts",
    find: 'choice(TRUST_LEVELS, "What the role may do there")',
    put: 'choice([...TRUST_LEVELS, "admin"], "What the role may do there")',
  },
  {
    ids: ["3.1:worker-claim:closed-list"],
    file: "src/runtime/engine/engine.ts",
    find: '=== undefined ? "claiming" : "paused"',
    put: '=== undefined ? "claiming" : "idle"',
  },
  {
    ids: ["3.1:job-status:closed-list"],
    file: "src/features/jobs/job_machine.ts",
    find: '    failed: "out of attempts, cancelled, or given up",\n',
    put: '    failed: "out of attempts, cancelled, or given up",\n    lost: "nobody knows",\n',
  },
  {
    ids: ["3.1:check-outcome:closed-list"],
    file: "src/features/checks/check_table.ts",
    find: '["passed", "checks_failed"]',
    put: '["passed", "checks_failed", "skipped"]',
  },
  {
    ids: ["3.2:pause:no-new-claims"],
    file: "src/features/jobs/claim_rules.ts",
    find: "    notPaused,\n    ticketIsFree,\n",
    put: "    ticketIsFree,\n",
  },
  {
    ids: ["3.2:pause:broadcasts-status-change", "6:status-change:on-control"],
    file: "src/runtime/service/status_event.ts",
    find: "    await recordStatus(tx, state, now, claimsData(reason));\n",
    put: "",
  },
  {
    ids: ["3.2:resume:broadcasts-status-change", "6:status-change:on-control"],
    file: "src/runtime/service/status_event.ts",
    find: '    await recordStatus(tx, "claiming", now, claimsData(undefined));\n',
    put: "",
  },
  {
    ids: ["3.2:checks-run:failure-is-checks-failed"],
    file: "src/features/checks/run_check.ts",
    find: 'const failed = { outcome: "checks_failed",',
    put: 'const failed = { outcome: "passed",',
  },
  {
    ids: ["3.2:emergency-stop:raw-error-in-owner-only-log"],
    file: "src/http/control_routes.ts",
    find: '        log.write("error", "the emergency stop failed", { cause });\n',
    put: "",
  },
  {
    ids: ["3.2:startup:resumes-in-progress-tickets", "3.2:startup:resumes-rework-tickets"],
    file: "src/runtime/start/resume.ts",
    find: 'if (state !== "in-progress" && state !== "review") return false;',
    put: 'if (state !== "review") return false;',
  },
  {
    ids: ["3.2:startup:resumes-recent-dispositions"],
    file: "src/runtime/start/facts.ts",
    find: "if (next_role === null || decision.next_job !== null) continue;",
    put: "continue;",
  },
  {
    ids: ["3.2:startup:resumes-active-jobs", "3.2:startup:resumes-stale-jobs"],
    file: "src/runtime/start/plan.ts",
    find: "  resume,\n  only_rings",
    put: "  only_rings",
  },
  {
    ids: ["3.2:startup:new-lifecycle"],
    file: "src/runtime/start/plan.ts",
    find: "  new_lifecycle: newLifecycle,\n",
    put: "",
  },
  {
    ids: ["3.2:start:baseline-commit"],
    file: "src/runtime/start/scaffold.ts",
    find: '"chore(harness): initialize svc harness"',
    put: '"chore: initialize svc harness"',
  },
];
