/** Shows what a run would send: prompt, tools, model, limits. Asks no model. */
import type { Profile, TrustLevel } from "svc/core/permission.ts";
import type { Manifest, ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { chooseModel, endpointRules } from "svc/features/models/choose/choose_model.ts";
import { pricing } from "svc/features/models/choose/prices.ts";
import { usableWindow } from "svc/features/models/local/context_window.ts";
import { knownProfile } from "svc/features/models/local/profile_store.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { toolsFor } from "svc/features/tools/all.ts";
import { asSent, definitionOf } from "svc/features/tools/definitions.ts";
import type { ToolDefinition } from "svc/features/tools/tool.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import { decide } from "svc/features/trust/policy.ts";
import { trustOf } from "svc/features/trust/trust_store.ts";
import type { Db } from "svc/store/schema.ts";
import { brief, dispositionsOf, harnessTexts, mayAsk } from "svc/runtime/job/briefing.ts";
import { codeHint, workText } from "svc/runtime/job/code_hint.ts";
import { takesWork } from "svc/runtime/job/job_ticket.ts";
import { type LimitFlags, limitsOf } from "svc/runtime/job/limits.ts";
import { trustOfTicket } from "svc/features/jobs/order_job.ts";
import type { ManualPlan, ManualRequest } from "./manual_run.ts";
import { lookForTicket } from "./pick_ticket.ts";
import type { RunPreview } from "./report_shape.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { needsOwnTree } from "svc/runtime/job/tree_need.ts";
import { branchFor } from "svc/runtime/job/job_tree.ts";

/** The database is absent where there is none yet. */
type PreviewPorts = Omit<RuntimePorts, "db" | "profile"> & { readonly db: Db | undefined };

interface PreviewPlan extends ManualPlan {
  readonly bundled: boolean;
  readonly profile: Exclude<Profile, "isolated">;
}

function toolsOffered(
  { manifest, profile }: PreviewPlan,
  { role, definition, trust, ticket }: {
    readonly role: string;
    readonly definition: ManifestRole;
    readonly trust: TrustLevel;
    readonly ticket: Ticket | undefined;
  },
): ToolDefinition[] {
  const guardrails = guardrailsOf(manifest);
  const sourceTrust = ticket === undefined ? "contributor" : trustOfTicket(ticket);
  const taken = ticket?.state === "backlog" && takesWork(definition)
    ? { ...ticket, state: "in-progress" as const }
    : ticket;
  const asks = mayAsk(profile, taken);
  return toolsFor(dispositionsOf(definition), { asks }).filter((tool) =>
    decide({
      profile,
      roleTrust: trust,
      sourceTrust,
      role,
      roleTools: definition.tools,
      guardrails,
      tool: tool.name,
      capabilities: [tool.capability],
      writes: [],
      argv: [],
    }).allowed
  ).map((tool) => asSent(definitionOf(tool)));
}

async function routeOf(
  ports: PreviewPorts,
  { repo: { folder } }: PreviewPlan,
  asked: { readonly role: string; readonly modelEndpoint: string | undefined },
  { tier }: Manifest["roles"][string],
): Promise<ModelRoute> {
  const rules = endpointRules(await ports.settings(), ports.home.config);
  return (await chooseModel(folder, { ...asked, tier }, rules)).route;
}

/** Reads the checkout: a dry run makes no work tree. */
async function hintFor(ports: PreviewPorts, { repo }: PreviewPlan, text: string): Promise<string> {
  return (await codeHint(ports, repo, { text, signal: repo.signal })).lines;
}

async function windowOf({ db }: PreviewPorts, route: ModelRoute): Promise<RunPreview["window"]> {
  const known = db && await knownProfile(db, route);
  const probed = known?.context_window ?? undefined;
  const from = probed !== undefined
    ? "probed"
    : route.contextWindow !== undefined
    ? "declared"
    : "assumed";
  return { tokens: usableWindow(route, probed), from };
}

export async function previewRun(
  ports: PreviewPorts,
  plan: PreviewPlan,
  asked: ManualRequest & LimitFlags & {
    readonly modelEndpoint: string | undefined;
    readonly codeIntel?: boolean;
  },
): Promise<RunPreview> {
  const { repo, manifest, definition, harness, bundled, profile } = plan;
  const { role } = asked;
  const route = await routeOf(ports, plan, asked, definition);
  const { ticket, missing } = await lookForTicket(plan, asked);
  const trust = ports.db === undefined
    ? definition.trust
    : (await trustOf(ports.db, repo.id, role, definition.trust)).level;
  const branch = needsOwnTree(profile, definition.tools)
    ? branchFor({ jobId: "00000000", role, ticket })
    : undefined;
  const work = ticket &&
    {
      facts: ticket,
      text: new TextDecoder().decode((await repo.tickets.find(ticket.id)).content.bytes),
    };
  const hint = asked.codeIntel ? await hintFor(ports, plan, workText(work, asked.task)) : undefined;
  const window = await windowOf(ports, route);
  const request = { role, definition, ticket: work, request: asked.task };
  const prompt = brief({
    ...request,
    manifest,
    texts: await harnessTexts(harness, repo.folder, request),
    profile,
    trust,
    branch,
    ...(hint && { hint }),
    contextWindow: window.tokens,
  });
  const { prices } = (await ports.settings()).models;
  const limits = limitsOf(definition, asked, pricing(route, prices) === "free");
  const { provider, endpoint, model, because } = route;
  return {
    dry_run: true,
    role,
    repo: repo.root,
    profile,
    trust,
    harness: bundled ? "bundled" : "repo",
    ticket: ticket?.id ?? null,
    obstacle: missing === undefined
      ? null
      : { message: missing.message, remediation: missing.remedy },
    branch: branch ?? null,
    model: { provider, endpoint, model, because },
    window,
    limits: {
      max_turns: limits.maxTurns,
      budget_tokens: limits.budgetTokens ?? null,
      budget_usd: limits.budgetUsd ?? null,
      timeout_minutes: limits.timeoutMs / 60_000,
    },
    tools: toolsOffered(plan, { role, definition, trust, ticket }),
    system: prompt.system,
    task: prompt.task,
    cut: prompt.cut,
  };
}
