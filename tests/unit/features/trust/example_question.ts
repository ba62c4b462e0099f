/** A question that every part of the policy says yes to. */
import type { PolicyQuestion } from "svc/features/trust/policy_question.ts";

export const allowedQuestion: PolicyQuestion = {
  profile: "host",
  roleTrust: "contributor",
  sourceTrust: "contributor",
  role: "engineer",
  repo: "/work/app",
  roleTools: ["file_edit", "command_run"],
  guardrails: { denyPaths: ["infra/**"], denyCommands: ["git push"] },
  tool: "file_edit",
  capabilities: ["write"],
  writes: ["src/main.ts"],
  argv: [],
};
