/** The report of smoke tests: its shape, and the same as Markdown. */
import type { z } from "zod";
import { DISPOSITIONS } from "svc/core/disposition.ts";
import type { Immutable } from "svc/core/immutable.ts";
import { duration } from "svc/core/time.ts";
import { markdownTable, markdownText } from "svc/core/markdown.ts";

export const SMOKE_KIND = "svc validation agent-smoke";

const caseShape = (zod: typeof z) =>
  zod.strictObject({
    id: zod.string(),
    wanted: zod.string(),
    status: zod.enum(["passed", "failed", "not_run"]),
    /** What is wrong with the outcome, or why there is none. */
    why: zod.string().nullable(),
    remedy: zod.string().nullable(),
    disposition: zod.enum(DISPOSITIONS).nullable(),
    evidence: zod.string(),
    model: zod.strictObject({
      provider: zod.string(),
      model: zod.string(),
      because: zod.string(),
      /** `fixture`: a scripted endpoint; never live evidence. */
      evidence: zod.enum(["live", "fixture"]),
    }).nullable(),
    checks: zod.string().nullable(),
    turns: zod.int(),
    tool_calls: zod.int(),
    denials: zod.int(),
    tokens_in: zod.int(),
    tokens_out: zod.int(),
    ms: zod.int(),
  });

export const smokeShape = (zod: typeof z) =>
  zod.strictObject({
    kind: zod.literal(SMOKE_KIND),
    svc: zod.string(),
    /** RFC 3339. */
    at: zod.string(),
    /** `fixture` as soon as one of the models is scripted. */
    evidence: zod.enum(["live", "fixture", "none"]),
    repo: zod.string().nullable(),
    harness: zod.enum(["repo", "bundled"]),
    profile: zod.enum(["observer", "host"]),
    roles: zod.array(zod.strictObject({
      role: zod.string(),
      verdict: zod.enum(["passed", "failed", "not_run"]),
      cases: zod.array(caseShape(zod)),
    })),
    /** What to change, the most important first. */
    advice: zod.array(zod.string()),
  });

export type SmokeReport = Immutable<z.infer<ReturnType<typeof smokeShape>>>;
export type SmokeRole = SmokeReport["roles"][number];
export type SmokeOutcome = SmokeRole["cases"][number];

export const smokeRows = ({ roles }: Pick<SmokeReport, "roles">): string[][] =>
  roles.flatMap(({ role, cases }) =>
    cases.map((one) => [
      ...[role, one.id, one.status, one.disposition ?? "–"],
      ...[String(one.turns), String(one.tokens_in + one.tokens_out), duration(one.ms)],
      one.why ?? one.evidence,
    ])
  );

export const SMOKE_HEAD = [
  "role",
  "task",
  "verdict",
  "ended",
  "turns",
  "tokens",
  "time",
  "evidence",
];

const EVIDENCE: Readonly<Record<SmokeReport["evidence"], string>> = {
  live: "live evidence",
  fixture: "FIXTURE, no live evidence",
  none: "no model answered",
};

export function smokePage(report: SmokeReport): string {
  const models = new Set(
    report.roles.flatMap(({ role, cases }) =>
      cases.flatMap(({ model }) =>
        model === null ? [] : [`${role}: ${model.model} at ${model.provider} (${model.because})`]
      )
    ),
  );
  return [
    `# ${report.kind}: ${EVIDENCE[report.evidence]}`,
    "",
    `- When: ${report.at}, svc ${report.svc}`,
    `- Harness: ${report.harness === "repo" ? "the repo's own" : "the one that svc brings"}`,
    `- Profile: ${report.profile}`,
    ...[...models].map((line) => `- ${markdownText(line)}`),
    "",
    ...markdownTable(SMOKE_HEAD, smokeRows(report)),
    "",
    "What was wanted:",
    "",
    ...report.roles.flatMap(({ role, cases }) =>
      cases.map(({ id, wanted }) => `- ${markdownText(`${role}, ${id}: ${wanted}`)}`)
    ),
    ...(report.advice.length === 0 ? [] : ["", "What would help:", ""]),
    ...report.advice.map((line) => `- ${markdownText(line)}`),
    "",
  ].join("\n");
}
