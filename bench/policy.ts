/** What one decision of the policy takes: `deno run -A bench/policy.ts`. The bound is 50 µs. */
import { decide } from "svc/features/trust/policy.ts";
import type { PolicyQuestion } from "svc/features/trust/policy_question.ts";

const base: PolicyQuestion = {
  profile: "host",
  roleTrust: "contributor",
  sourceTrust: "contributor",
  role: "engineer",
  repo: "/work/app",
  roleTools: ["file_read", "file_edit", "file_write", "command_run", "check_run", "finish"],
  guardrails: {
    denyPaths: [
      ...[".git/**", ".harness/.env*", "docs/tickets/**", "infra/**", "**/*.pem"],
      ...["**/{package-lock.json,deno.lock,yarn.lock}", "migrations/*/down.sql", "vendor"],
      ...["**/generated/**", "src/**/legacy/*.ts"],
    ],
    denyCommands: ["rm", "git push", "npm publish", "docker", "kubectl", "terraform apply"],
    allowCiRoles: ["devops"],
  },
  tool: "file_edit",
  capabilities: ["write"],
  writes: [],
  argv: [],
};

const QUESTIONS: Readonly<Record<string, PolicyQuestion>> = {
  "only the tool": base,
  "one path": { ...base, writes: ["src/features/trust/policy_question.ts"] },
  "a path of 12 folders": { ...base, writes: [`${"folder/".repeat(12)}file.ts`] },
  "denied by the last glob": { ...base, writes: ["src/a/b/legacy/old.ts"] },
  "a command": { ...base, tool: "command_run", capabilities: ["exec"], argv: ["make", "test"] },
  "a script of 300 characters": {
    ...base,
    tool: "command_run",
    capabilities: ["exec", "shell"],
    argv: ["/bin/sh", "-c", "cd src && grep -rn 'what' . | sort | head; ".repeat(7)],
  },
  "denied by the profile": { ...base, profile: "observer" },
};

const ROUNDS = 20_000;
for (const [name, question] of Object.entries(QUESTIONS)) {
  for (let round = 0; round < 2000; round++) decide(question);
  const start = performance.now();
  for (let round = 0; round < ROUNDS; round++) decide(question);
  const us = (performance.now() - start) * 1000 / ROUNDS;
  console.log(`${name.padEnd(28)} ${us.toFixed(2).padStart(7)} µs`);
}
