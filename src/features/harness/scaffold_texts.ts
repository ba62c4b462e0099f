/** The texts of the files that `init` writes, kept as plain files in `assets/` and embedded here. */
import ceo from "assets/prompts/ceo.md" with { type: "text" };
import engineer from "assets/prompts/engineer.md" with { type: "text" };
import gardener from "assets/prompts/gardener.md" with { type: "text" };
import orchestrator from "assets/prompts/orchestrator.md" with { type: "text" };
import qa from "assets/prompts/qa.md" with { type: "text" };
import agents from "assets/scaffold/agents.md" with { type: "text" };
import changelog from "assets/scaffold/changelog.md" with { type: "text" };
import docs from "assets/scaffold/docs/README.md" with { type: "text" };
import contracts from "assets/scaffold/docs/contracts/README.md" with { type: "text" };
import contractTemplate from "assets/scaffold/docs/contracts/TEMPLATE.md" with {
  type: "text",
};
import plans from "assets/scaffold/docs/plans/README.md" with { type: "text" };
import references from "assets/scaffold/docs/references/README.md" with { type: "text" };
import tickets from "assets/scaffold/docs/tickets/README.md" with { type: "text" };
import harnessReadme from "assets/scaffold/harness/README.md" with { type: "text" };
import rules from "assets/scaffold/harness/guardrails/rules.md" with { type: "text" };
import knowledge from "assets/scaffold/harness/knowledge/routes.yaml" with {
  type: "text",
};
import manifest from "assets/scaffold/harness/manifest.yaml" with { type: "text" };
import skills from "assets/scaffold/harness/skills/README.md" with { type: "text" };
import fixABug from "assets/scaffold/harness/skills/fix_a_bug.md" with { type: "text" };
import reviewAChange from "assets/scaffold/harness/skills/review_a_change.md" with {
  type: "text",
};
import splitATicket from "assets/scaffold/harness/skills/split_a_ticket.md" with {
  type: "text",
};
import manifestSchema from "assets/schema/manifest.schema.json" with { type: "text" };

/** Path in the target repo → its template; a placeholder is `{{name}}`, with its quotes in YAML. */
export const HARNESS_TEXTS: Readonly<Record<string, string>> = {
  ".harness/manifest.yaml": manifest,
  ".harness/manifest.schema.json": manifestSchema,
  ".harness/README.md": harnessReadme,
  ".harness/roles/ceo.md": ceo,
  ".harness/roles/orchestrator.md": orchestrator,
  ".harness/roles/engineer.md": engineer,
  ".harness/roles/qa.md": qa,
  ".harness/roles/gardener.md": gardener,
  ".harness/guardrails/rules.md": rules,
  ".harness/knowledge/routes.yaml": knowledge,
  ".harness/skills/README.md": skills,
  ".harness/skills/fix_a_bug.md": fixABug,
  ".harness/skills/review_a_change.md": reviewAChange,
  ".harness/skills/split_a_ticket.md": splitATicket,
  "docs/README.md": docs,
  "docs/contracts/README.md": contracts,
  "docs/contracts/TEMPLATE.md": contractTemplate,
  "docs/plans/README.md": plans,
  "docs/references/README.md": references,
  "docs/tickets/README.md": tickets,
  "AGENTS.md": agents,
  "CHANGELOG.md": changelog,
};
