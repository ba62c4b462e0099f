/** What a person can do about failures of one kind that keep coming. */
import type { Cause } from "svc/features/scores/outcome.ts";

const ADVICE: Readonly<Record<Cause, string>> = {
  model_unreachable: "Start the model's server or correct its endpoint: svc models list",
  model_protocol:
    "The model answers in a form that cannot be read: choose another for this role with svc models override",
  rate_limited: "Lower the concurrency, or give this role another model: svc models override",
  context_overflow:
    "Give the role a model with a larger window, or make its prompt and knowledge shorter",
  tool_error: "Read what the tool said in the job's trace; svc tools run repeats the call",
  policy_denied:
    "Read svc trust explain for the denied tool: give the role what it needs, or tell it in its prompt not to try",
  checks_failed:
    "Run the manifest's checks yourself; tell the role in its prompt to run check_run before it finishes",
  budget: "Make its tickets smaller, or raise roles.<role>.limits.budget_tokens in the manifest",
  turns: "Make its tickets smaller, or raise roles.<role>.limits.max_turns in the manifest",
  stuck:
    "Read the newest trace: the role repeats itself where its prompt or a tool's answer leaves it no way on",
  timeout: "Raise roles.<role>.limits.timeout_minutes, or make the checks faster",
  git_conflict:
    "Merge the branch by hand, and let tickets that touch the same files depend on each other",
  lease_expired: "Look whether the machine sleeps or is short of memory: its workers vanish",
  internal: "Read the command log below ~/.svc/logs; a fault that comes again is worth a report",
  rework:
    "Read what was asked for in the newest tickets, and put it into the role's prompt or the repo's knowledge",
  rejected: "Read why its pull requests were closed, and put it into the role's prompt",
  overturned: "Tell the judging role in its prompt what it let pass",
  unproven:
    "The role reports what svc does not find: tell it in its prompt to commit before it finishes, and to name a ticket that can start",
};

export function adviceOn(cause: Cause): string {
  return ADVICE[cause];
}
