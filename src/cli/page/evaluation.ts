/** Shows an evaluation of models, or the plan of one. */
import type { z } from "zod";
import { costText } from "svc/core/cost.ts";
import type { Immutable } from "svc/core/immutable.ts";
import { duration } from "svc/core/time.ts";
import type { planShape } from "svc/features/evaluation/plan.ts";
import {
  COMPARED,
  comparedRow,
  type EvaluatedShown,
  type Evaluation,
  lost,
} from "svc/features/evaluation/report.ts";
import type { Page } from "./page.ts";

type Plan = Immutable<z.infer<ReturnType<typeof planShape>>>;

export function showPlan({ probes, recall, repo, routes }: Plan, page: Page): void {
  page.heading("Probes");
  page.table(
    ["probe", "tokens", "what is looked at"],
    probes.map(({ id, tokens, about }) => [id, `~${tokens}`, about]),
  );
  page.line(recall);
  page.line();
  page.heading(repo === null ? "Models by tier" : `Models of ${repo}`);
  page.table(
    ["tier", "provider", "endpoint", "model"],
    routes.map(({ tier, provider, endpoint, model, why }) => [
      ...[tier, provider, endpoint],
      why ?? (model === "" ? "the one that it serves" : model),
    ]),
  );
  const next = routes.find(({ command }) => command !== null)?.command;
  page.next(next ?? "svc models evaluate --endpoint <url>");
}

function showModel(one: EvaluatedShown, page: Page): void {
  const { speed, probes, notes, advice } = one;
  page.heading(`${one.model} at ${one.endpoint}: ${one.verdict}, ${one.score} of 100`);
  page.table(
    ["probe", "score", "what was missing"],
    probes.map((probe) => [probe.id, String(probe.score), lost(probe)]),
  );
  page.fields([
    ...(speed === null ? [] : [
      [
        "speed",
        `first words after ${duration(speed.first_ms)}, ${speed.tokens_per_second} tokens/s`,
      ] as const,
    ]),
    [
      "used",
      `${one.tokens_in} tokens in, ${one.tokens_out} out, ${duration(one.ms)}, cost ${
        costText(one)
      }`,
    ],
  ]);
  for (const line of notes) page.line(`note: ${line}`);
  for (const line of advice) page.line(`${page.tone("warn", "to change:")} ${line}`);
}

export function showEvaluation({ evidence, models, unopened }: Evaluation, page: Page): void {
  if (evidence === "fixture") {
    page.line(page.tone("warn", "FIXTURE: a scripted endpoint, no live evidence"));
  }
  if (models.length > 1) {
    page.table(COMPARED, models.map(comparedRow));
    page.line();
  }
  for (const [at, one] of models.entries()) {
    if (at > 0) page.line();
    showModel(one, page);
  }
  for (const { model, endpoint, why, remedy } of unopened) {
    page.line(`${page.tone("bad", "not evaluated:")} ${model} at ${endpoint}: ${why}`);
    page.line(`try: ${remedy}`);
  }
}

/** What a person does next with the best of them. */
export function afterEvaluation({ models }: Pick<Evaluation, "models">): string | undefined {
  const [best] = models.toSorted((a, b) => b.score - a.score);
  if (best === undefined) return undefined;
  if (best.verdict === "unfit") return "svc models list";
  // A name that a shell would read otherwise is left to the person.
  const named = /^[\w.:/@+-]+$/.test(best.model) ? `#${best.model}` : "";
  return `svc validation agent-smoke --model-endpoint ${best.endpoint}${named}`;
}
