/** The report of an evaluation: its shape, and the same as Markdown. */
import type { z } from "zod";
import { COST_BASES, costText } from "svc/core/cost.ts";
import type { Immutable } from "svc/core/immutable.ts";
import { PROTOCOLS } from "svc/core/model_protocol.ts";
import { markdownTable, markdownText } from "svc/core/markdown.ts";
import { oneLine } from "svc/core/plain_text.ts";
import { duration } from "svc/core/time.ts";
import { PROBE_GROUPS } from "./probe.ts";
import { PROBE_STATUSES } from "./run_probe.ts";
import { MODEL_VERDICTS } from "./scores.ts";

export const EVALUATION_KIND = "svc models evaluate";

const probeShape = (zod: typeof z) =>
  zod.strictObject({
    id: zod.string(),
    group: zod.enum(PROBE_GROUPS),
    status: zod.enum(PROBE_STATUSES),
    score: zod.int(),
    checks: zod.array(zod.strictObject({
      what: zod.string(),
      ok: zod.boolean(),
      points: zod.int(),
      seen: zod.string().exactOptional(),
    })),
    why: zod.string().nullable(),
    requests: zod.int(),
    tokens_in: zod.int(),
    tokens_out: zod.int(),
    ms: zod.int(),
  });

const modelShape = (zod: typeof z) =>
  zod.strictObject({
    provider: zod.string(),
    endpoint: zod.string(),
    model: zod.string(),
    protocol: zod.enum(PROTOCOLS),
    /** `fixture`: a scripted endpoint; never live evidence. */
    evidence: zod.enum(["live", "fixture"]),
    tools: zod.enum(["native", "text"]),
    context_window: zod.int(),
    notes: zod.array(zod.string()),
    verdict: zod.enum(MODEL_VERDICTS),
    score: zod.int(),
    groups: zod.record(zod.enum(PROBE_GROUPS), zod.int()),
    speed: zod.strictObject({ first_ms: zod.int(), tokens_per_second: zod.number() }).nullable(),
    probes: zod.array(probeShape(zod)),
    tokens_in: zod.int(),
    tokens_out: zod.int(),
    ms: zod.int(),
    cost_basis: zod.enum(COST_BASES).nullable(),
    cost_usd: zod.number().nullable(),
    advice: zod.array(zod.string()),
  });

export const evaluationShape = (zod: typeof z) =>
  zod.strictObject({
    kind: zod.literal(EVALUATION_KIND),
    svc: zod.string(),
    /** RFC 3339. */
    at: zod.string(),
    /** `fixture` as soon as one of the models is scripted. */
    evidence: zod.enum(["live", "fixture", "none"]),
    repo: zod.string().nullable(),
    timeout_seconds: zod.int(),
    /** As whoever ran it says; svc has not looked. */
    provenance: zod.strictObject({
      revision: zod.string().nullable(),
      sha256: zod.string().nullable(),
      source: zod.string().nullable(),
    }),
    models: zod.array(modelShape(zod)),
    unopened: zod.array(zod.strictObject({
      endpoint: zod.string(),
      model: zod.string(),
      why: zod.string(),
      remedy: zod.string(),
    })),
  });

export type Evaluation = Immutable<z.infer<ReturnType<typeof evaluationShape>>>;
export type EvaluatedShown = Evaluation["models"][number];

export const COMPARED = ["model", "evidence", "verdict", "score", ...PROBE_GROUPS, "tokens/s"];

export function comparedRow(one: EvaluatedShown): string[] {
  return [
    ...[one.model, one.evidence, one.verdict, String(one.score)],
    ...PROBE_GROUPS.map((group) => String(one.groups[group])),
    one.speed === null ? "–" : String(one.speed.tokens_per_second),
  ];
}

/** What kept a probe from its full score. */
export function lost({ checks, why }: EvaluatedShown["probes"][number]): string {
  if (why !== null) return why;
  return checks.filter(({ ok }) => !ok)
    .map(({ what, seen }) =>
      seen === undefined || seen === "" ? what : `${what} (${oneLine(seen)})`
    )
    .join("; ");
}

const EVIDENCE: Readonly<Record<Evaluation["evidence"], string>> = {
  live: "live evidence",
  fixture: "FIXTURE, no live evidence",
  none: "no model answered",
};

function modelPage(one: EvaluatedShown): string[] {
  const { speed } = one;
  return [
    `## ${markdownText(one.model)}`,
    "",
    `- Verdict: ${one.verdict}, score ${one.score} of 100`,
    `- Endpoint: ${markdownText(one.endpoint)}, provider ${
      markdownText(one.provider)
    }, protocol ${one.protocol}`,
    `- Evidence: ${EVIDENCE[one.evidence]}`,
    `- Window: ${one.context_window} tokens; calls are ${one.tools}`,
    ...(speed === null ? [] : [
      `- Speed: first words after ${duration(speed.first_ms)}, ${speed.tokens_per_second} tokens/s`,
    ]),
    `- Used: ${one.tokens_in} tokens in, ${one.tokens_out} out, ${duration(one.ms)}, cost ${
      costText(one)
    }`,
    ...one.notes.map((note) => `- Note: ${markdownText(note)}`),
    "",
    ...markdownTable(
      ["probe", "score", "status", "tokens in", "ms", "what was missing"],
      one.probes.map((probe) => [
        ...[probe.id, probe.score, probe.status, probe.tokens_in, probe.ms, lost(probe)],
      ]),
    ),
    ...(one.advice.length === 0 ? [] : ["", "What would help:", ""]),
    ...one.advice.map((line) => `- ${markdownText(line)}`),
    "",
  ];
}

export function evaluationPage(report: Evaluation): string {
  const { provenance, unopened } = report;
  const stated = Object.entries(provenance).filter(([, value]) => value !== null);
  return [
    `# ${report.kind}: ${EVIDENCE[report.evidence]}`,
    "",
    `- When: ${report.at}, svc ${report.svc}`,
    `- Time limit of a probe: ${report.timeout_seconds} s`,
    ...(report.repo === null ? [] : [`- For the repo: ${markdownText(report.repo)}`]),
    ...stated.map(([name, value]) =>
      `- ${name}: ${markdownText(value!)} (as stated, not looked up)`
    ),
    "",
    ...markdownTable(COMPARED, report.models.map(comparedRow)),
    "",
    ...report.models.flatMap(modelPage),
    ...unopened.map(({ model, endpoint, why }) =>
      `Not evaluated: ${markdownText(model)} at ${markdownText(endpoint)}: ${markdownText(why)}`
    ),
  ].join("\n");
}
