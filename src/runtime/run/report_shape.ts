/** The JSON of `svc run`: the outcome of a run, or what a dry run would send. */
import type { z } from "zod";
import { COST_BASES } from "svc/core/cost.ts";
import { DISPOSITIONS } from "svc/core/disposition.ts";
import type { Immutable } from "svc/core/immutable.ts";

export const runShape = (zod: typeof z) =>
  zod.strictObject({
    dry_run: zod.literal(false),
    job: zod.string(),
    role: zod.string(),
    repo: zod.string(),
    profile: zod.enum(["observer", "host"]),
    ticket: zod.string().nullable(),
    /** After svc looked at commits and checks. */
    disposition: zod.enum(DISPOSITIONS),
    /** What the role itself, or what ended it, said. */
    reported: zod.enum(DISPOSITIONS),
    evidence: zod.string(),
    /** What a person is asked; its ticket waits for the answer. */
    question: zod.strictObject({
      asked: zod.string(),
      choices: zod.array(zod.string()),
      why: zod.string(),
    }).nullable(),
    model: zod.strictObject({
      provider: zod.string(),
      model: zod.string(),
      because: zod.string(),
      /** `fixture`: a scripted endpoint; never live evidence. */
      evidence: zod.enum(["live", "fixture"]),
    }).nullable(),
    decision: zod.strictObject({
      id: zod.string(),
      rule: zod.string(),
      move: zod.string().nullable(),
      /** What happened to the ticket in git, if that differs from the decision, such as after a merge conflict. */
      instead: zod.string().nullable(),
      next_role: zod.string().nullable(),
      stop: zod.string().nullable(),
      applied: zod.boolean(),
      waits_for: zod.array(zod.string()),
      /** Rules that could have matched, and why they did not. */
      refused: zod.array(zod.strictObject({ rule: zod.string(), why: zod.string() })),
    }).nullable(),
    branch: zod.string().nullable(),
    commit: zod.string().nullable(),
    changed: zod.array(
      zod.strictObject({ path: zod.string(), added: zod.int(), removed: zod.int() }),
    ),
    uncommitted: zod.array(zod.string()),
    /** `red_before`: those that fail did so without the work too; `unjudged`: and no other is there. */
    checks: zod.enum(["passed", "red_before", "unjudged", "failed", "none", "not_run"]),
    failed_checks: zod.array(zod.string()),
    red_before: zod.array(zod.string()),
    turns: zod.int(),
    tokens_in: zod.int(),
    tokens_out: zod.int(),
    /** Those among `tokens_in` that the server had in its cache. */
    tokens_cached: zod.int(),
    tokens_estimated: zod.boolean(),
    tool_calls: zod.int(),
    denials: zod.int(),
    cost_basis: zod.enum(COST_BASES).nullable(),
    /** US dollars, by the prices of that moment. */
    cost_usd: zod.number().nullable(),
    duration_ms: zod.int(),
    trace: zod.string().nullable(),
  });

export type RunReport = Immutable<z.infer<ReturnType<typeof runShape>>>;

export const previewShape = (zod: typeof z) =>
  zod.strictObject({
    dry_run: zod.literal(true),
    role: zod.string(),
    repo: zod.string(),
    profile: zod.enum(["observer", "host"]),
    trust: zod.enum(["observer", "contributor"]),
    harness: zod.enum(["repo", "bundled"]),
    ticket: zod.string().nullable(),
    /** Why a real run would be refused now. */
    obstacle: zod.strictObject({ message: zod.string(), remediation: zod.string() }).nullable(),
    branch: zod.string().nullable(),
    model: zod.strictObject({
      provider: zod.string(),
      endpoint: zod.string(),
      model: zod.string(),
      because: zod.string(),
    }),
    /** How long a prompt may be, which decides where its texts are cut. */
    window: zod.strictObject({
      tokens: zod.int(),
      /** `assumed`: neither the route nor an earlier run says it; the run itself asks the endpoint. */
      from: zod.enum(["declared", "probed", "assumed"]),
    }),
    limits: zod.strictObject({
      max_turns: zod.int(),
      /** Null if tokens limit nothing, as with a model on this machine. */
      budget_tokens: zod.int().nullable(),
      /** US dollars. */
      budget_usd: zod.number().nullable(),
      timeout_minutes: zod.number(),
    }),
    /** Definitions, as a model gets them. */
    tools: zod.array(zod.unknown()),
    system: zod.string(),
    task: zod.string(),
    /** Texts that were too long to be given in full. */
    cut: zod.array(zod.string()),
  });

export type RunPreview = Immutable<z.infer<ReturnType<typeof previewShape>>>;
