/** Which improvement tickets a quality score asks for. Pure. */
import { compareText } from "svc/core/order.ts";
import type { TicketDraft } from "svc/features/tickets/ticket_draft.ts";
import type { Cause } from "./outcome.ts";
import { type AreaGrades, type Grade, WHOLE_REPO } from "./grades.ts";
import { type Layer, LAYERS } from "./layers.ts";
import type { Quality } from "./quality_page.ts";
import type { RoleScore } from "./role_scores.ts";

const SCORE_DEBT_TICKETS = 10;

const SCORE_DEBT_FAILURES = 3;

/** The fingerprint names what to improve, so that a second export adds no ticket. */
type DebtDraft = TicketDraft & { readonly fingerprint: string };

const POOR: ReadonlySet<Grade> = new Set(["D", "F"] as const);

/** Causes that a change in the repo can reduce; the others are limits of models and servers. */
const MENDABLE: ReadonlySet<Cause> = new Set<Cause>([
  "checks_failed",
  "context_overflow",
  "policy_denied",
  "rework",
  "rejected",
  "overturned",
  "stuck",
  "turns",
  "budget",
  "timeout",
  "unproven",
]);

const AIMS: Readonly<Record<Layer, string>> = {
  code: "Make the code easier to change",
  tests: "Test what is untested",
  docs: "Write down what is not, and mend what is wrong",
  upkeep: "Bring the repo's upkeep in order",
};

const CAUSES_LISTED = 10;

function areaDebt({ name, layers }: AreaGrades): DebtDraft[] {
  return LAYERS.flatMap((layer) => {
    const { grade, causes } = layers[layer] ?? {};
    if (grade === undefined || causes === undefined || !POOR.has(grade)) return [];
    const where = name === WHOLE_REPO ? "the repo as a whole" : name;
    const listed = causes.slice(0, CAUSES_LISTED).map(({ probe, text }) => `- ${probe}: ${text}`);
    return {
      title: `${AIMS[layer]}: ${where}`,
      type: "debt",
      priority: grade === "F" ? "p2" : "p3",
      role: layer === "docs" ? "gardener" : "engineer",
      source: "scores",
      fingerprint: `scores:${layer}:${name}`,
      acceptance: [`svc scores export grades ${layer} of ${where} C or better`],
      context: [`The quality score gives ${where} ${grade} for ${layer}.`, "", ...listed]
        .join("\n"),
    };
  });
}

function roleDebt({ role, categories, samples }: RoleScore, days: number): DebtDraft[] {
  return categories.flatMap(({ category, count, tickets }) => {
    if (count < SCORE_DEBT_FAILURES || !MENDABLE.has(category)) return [];
    const seen = tickets.length === 0 ? "" : ` Newest tickets: ${tickets.join(", ")}.`;
    return {
      title: `Find out why ${role} ends with ${category}, and mend the cause`,
      type: "debt",
      priority: "p2",
      role: "engineer",
      source: "scores",
      fingerprint: `scores:role:${role}:${category}`,
      acceptance: [
        "The cause is named in the evidence, with the job that shows it",
        "Code, checks or documents are changed so that it does not come again",
      ],
      context:
        `${count} of ${samples} outcomes of ${role} in ${days} days were ${category}.${seen}`,
    };
  });
}

export function debtOf({ scores, areas, days }: Quality): DebtDraft[] {
  const roles = scores.flatMap((score) => roleDebt(score, days));
  const poor = areas.flatMap(areaDebt)
    .sort((a, b) => compareText(a.priority, b.priority));
  return [...roles, ...poor].slice(0, SCORE_DEBT_TICKETS);
}
