/** The shape of `.harness/manifest.yaml` (domain: roles, their routes, triggers and limits). */
import { z } from "zod";
import { ABILITY } from "svc/core/abilities.ts";
import { moneyBudget, SharedBudgets, tokenBudget } from "svc/core/budget_shape.ts";
import { DISPOSITIONS } from "svc/core/disposition.ts";
import { TRUST_LEVELS } from "svc/core/permission.ts";

const name = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, "must be a short lower-case name");
const commandLine = z.array(z.string().min(1)).min(1);
const relative = z.string().regex(
  /^(?!\/|.*(?:^|\/)\.\.(?:\/|$)).+$/,
  "must be a path inside the repo",
);
const label = z.string().min(1);
const ticketState = z.enum(["backlog", "in-progress", "review", "done", "blocked"]);
/** A command with a name of its own; each check and each step of the set-up is one. */
const NamedCommand = z.strictObject({
  name,
  run: commandLine,
  timeout_seconds: z.int().min(1).max(3600).default(600),
});

const Trigger = z.discriminatedUnion("on", [
  z.strictObject({ on: z.literal("bootstrap") }),
  z.strictObject({ on: z.literal("manual") }),
  z.strictObject({ on: z.literal("scan_complete") }),
  z.strictObject({ on: z.literal("ticket"), state: ticketState }),
  z.strictObject({ on: z.literal("cron"), schedule: z.string(), time_zone: z.string().optional() }),
  z.strictObject({ on: z.literal("webhook"), event: z.string() }),
]);

const Route = z.strictObject({
  next: name.optional(),
  ticket: ticketState.optional(),
  stop: label.optional(),
});

export const TIERS = ["small", "standard", "deep"] as const;

const ability = z.string().regex(ABILITY, "must be such as tag:gpu or model:qwen3-coder");

const Role = z.strictObject({
  prompt: relative,
  tier: z.enum(TIERS).default("standard"),
  trust: z.enum(TRUST_LEVELS).default("observer"),
  tools: z.array(name).default([]),
  parallel: z.boolean().default(false),
  /** In a team, only nodes with all of these run it; they give no right. */
  needs: z.array(ability).default([]),
  triggers: z.array(Trigger).default([]),
  limits: z.strictObject({
    max_turns: z.int().positive().optional(),
    budget: moneyBudget.optional(),
    budget_tokens: tokenBudget.optional(),
    timeout_minutes: z.int().positive().optional(),
  }).prefault({}),
  routes: z.partialRecord(z.enum(DISPOSITIONS), Route).default({}),
});

export const Manifest = z.object({
  version: z.literal(1),
  harness_version: z.string().optional(),
  project: z.object({
    name: label,
    default_branch: label.default("main"),
    /** They make a fresh work tree workable, such as `npm ci`; in this order, in host profile alone. */
    setup: z.array(NamedCommand).default([]),
    checks: z.array(NamedCommand).default([]),
  }),
  dispatch: z.object({
    /** Who chooses the next ticket: svc itself, the role with a route for `routed`, or a person. */
    mode: z.enum(["routed", "orchestrator", "manual"]).default("routed"),
    merge: z.enum(["local", "manual", "pull_request"]).default("local"),
    max_rework: z.int().min(0).max(20).default(3),
    stale_ticket_hours: z.int().positive().default(24),
  }).prefault({}),
  /** They lower what the user's config sets, and never raise it. */
  budgets: SharedBudgets.prefault({}),
  roles: z.record(name, Role).refine((roles) => Object.keys(roles).length > 0, {
    error: "must name at least one role",
  }),
  guardrails: z.object({
    deny_paths: z.array(label).default([]),
    deny_commands: z.array(label).default([]),
    allow_ci_roles: z.array(name).default([]),
    secret_scan: z.boolean().default(true),
  }).prefault({}),
  integrations: z.object({
    github: z.object({ labels: z.array(label).default([]) }).optional(),
    linear: z.object({ team: label }).optional(),
  }).prefault({}),
}).superRefine((manifest, context) => {
  for (const [at, role] of manifest.guardrails.allow_ci_roles.entries()) {
    if (Object.hasOwn(manifest.roles, role)) continue;
    context.addIssue({
      code: "custom",
      path: ["guardrails", "allow_ci_roles", at],
      message: `names role "${role}", which is not in roles`,
    });
  }
  for (const [role, { routes }] of Object.entries(manifest.roles)) {
    for (const [disposition, route] of Object.entries(routes)) {
      if (route?.next === undefined || Object.hasOwn(manifest.roles, route.next)) continue;
      context.addIssue({
        code: "custom",
        path: ["roles", role, "routes", disposition, "next"],
        message: `names role "${route.next}", which is not in roles`,
      });
    }
  }
});
export type Manifest = z.infer<typeof Manifest>;
export type ManifestCommand = Manifest["project"]["checks"][number];
export type ManifestRole = Manifest["roles"][string];
