/** Advice for roles that failed their smoke tests: from how a role ended to the command that may help. */
import { shellWord } from "svc/core/shell_word.ts";
import type { SmokeOutcome, SmokeRole } from "./report.ts";

type Ended = NonNullable<SmokeOutcome["disposition"]>;

const OTHER_MODEL = "give it a larger model, or one that is trained for tools";

const override = (role: string) =>
  `svc models override --role ${shellWord(role)} --provider <name> --model <model>`;

/** By how a task ended. */
const ENDS: Partial<Record<Ended, (role: string) => string>> = {
  stuck: (role) => `${role} went in circles: ${OTHER_MODEL} (${override(role)})`,
  turns_exhausted: (role) =>
    `${role} used up its turns on a small task: ${OTHER_MODEL} (${override(role)})`,
  budget_exhausted: (role) =>
    `${role} used up its budget on a small task: raise limits.budget_tokens of the role in ` +
    `.harness/manifest.yaml, or ${OTHER_MODEL} (${override(role)})`,
  timed_out: (role) =>
    `${role} is too slow: a smaller model, more layers on the GPU, or a shorter prompt ` +
    "(svc models evaluate measures it)",
  model_error: (role) =>
    `${role}'s model did not answer, or could not be understood: svc models evaluate shows which ` +
    "calls it cannot make",
  policy_denied: (role) =>
    `${role} asked again and again for what it may not do: look at its prompt and tools in ` +
    `.harness/manifest.yaml, or ${OTHER_MODEL} (${override(role)})`,
  checks_failed: (role) =>
    `${role} handed in work that fails its checks: ${OTHER_MODEL} (${override(role)})`,
};

/** By the task, where a role ended by itself and was wrong. */
const TASKS: Readonly<Record<string, (role: string) => string>> = {
  send_back: (role) =>
    `${role} approves work that it should send back: do not let it judge alone ` +
    `(dispatch.merge: manual in .harness/manifest.yaml), or ${OTHER_MODEL} (${override(role)})`,
  approve: (role) => `${role} sends right work back: ${OTHER_MODEL} (${override(role)})`,
};

function adviceOn(role: string, { id, disposition, remedy, status, why }: SmokeOutcome): string[] {
  if (status === "passed") return [];
  if (status === "not_run") return [`${role} could not run: ${remedy ?? why}`];
  const ended = disposition === null ? undefined : ENDS[disposition];
  const task = TASKS[id];
  return [
    ended?.(role) ?? task?.(role) ??
      `${role} did not do "${id}" as it should: see what it does with svc run, or ${OTHER_MODEL} ` +
        `(${override(role)})`,
  ];
}

export function smokeAdvice(roles: readonly SmokeRole[]): string[] {
  const all = roles.flatMap(({ role, cases }) => cases.flatMap((one) => adviceOn(role, one)));
  return [...new Set(all)];
}
