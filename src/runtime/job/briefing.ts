/** Gathers the prompt of a role: its text, the rules, fitting documents, the ticket. */
import { REPORTED_DISPOSITIONS, type ReportedDisposition } from "svc/core/disposition.ts";
import { Failure } from "svc/core/failure.ts";
import { globMatcher } from "svc/core/glob.ts";
import type { Profile, TrustLevel } from "svc/core/permission.ts";
import { foldedParts } from "svc/core/repo_path.ts";
import {
  assemblePrompt,
  type EarlierAttempt,
  pathsIn,
  type PromptParts,
  type ReviewedChange,
  type RolePrompt,
} from "svc/features/agent/prompt.ts";
import {
  KNOWLEDGE_ROUTES,
  knowledgeFor,
  readKnowledgeRoutes,
} from "svc/features/harness/knowledge_routes.ts";
import type { Manifest, ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { listSkills, type Skill } from "svc/features/harness/skills.ts";
import { answersApart } from "svc/features/tickets/answers.ts";
import { GUIDANCE_FILES } from "svc/features/tools/folder_guidance.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { HarnessText } from "./harness_source.ts";

/** Most of one harness file that is read; the prompt cuts it further. */
const PROMPT_FILE_BYTES = 256 * 1024;

interface TicketText {
  readonly facts: Ticket;
  readonly text: string;
}

/** What a repo's harness tells a role. */
export interface HarnessTexts {
  readonly rolePrompt: string;
  readonly agents: PromptParts["agents"];
  readonly guardrails: string;
  readonly knowledge: PromptParts["knowledge"];
  readonly skills: readonly Skill[];
}

interface Briefing {
  readonly role: string;
  readonly definition: ManifestRole;
  readonly manifest: Manifest;
  readonly texts: HarnessTexts;
  readonly ticket: TicketText | undefined;
  readonly request: string | undefined;
  readonly review?: ReviewedChange | undefined;
  /** Names of the repo, so data. */
  readonly hint?: string;
  /** Names of MCP servers whose tools are offered. */
  readonly servers?: readonly string[];
  readonly before?: EarlierAttempt | undefined;
  /** What a person wrote to earlier jobs of the ticket, and no role read. */
  readonly notes?: readonly string[];
  readonly branch: string | undefined;
  readonly profile: Profile;
  readonly trust: TrustLevel;
  /** Tokens. */
  readonly contextWindow: number;
}

/**
 * Needs no work tree: a job reads this while its work tree is being made. @throws Failure `environment` when
 * the role's prompt is missing
 */
export async function harnessTexts(
  harness: HarnessText,
  folder: Parameters<typeof listSkills>[0],
  { role, definition, ticket, request }: Pick<
    Briefing,
    "role" | "definition" | "ticket" | "request"
  >,
): Promise<HarnessTexts> {
  const path = `.harness/${definition.prompt}`;
  const [rolePrompt, agents, guardrails, knowledge, skills] = await Promise.all([
    harness(path, PROMPT_FILE_BYTES).catch((thrown) => {
      throw unfitPrompt(role, thrown);
    }),
    rootGuidance(harness),
    harness(".harness/guardrails/rules.md", PROMPT_FILE_BYTES),
    documents(harness, `${ticket?.text ?? ""}\n${request ?? ""}`),
    listSkills(folder),
  ]);
  if (rolePrompt === undefined) {
    throw new Failure("environment", `Cannot brief role "${role}": there is no "${path}"`, {
      remedy: `svc update harness, or ${correctPrompt(role)}`,
    });
  }
  return { rolePrompt, agents, guardrails: guardrails ?? "", knowledge, skills };
}

const correctPrompt = (role: string) => `correct roles.${role}.prompt in .harness/manifest.yaml`;

/** The text of a refusal is written for roles, who have another way out. */
function unfitPrompt(role: string, thrown: unknown): unknown {
  const { code, message } = Failure.from(thrown);
  if (code !== "refused") return thrown;
  const why = message.replace(/^Cannot read /, "");
  const way = correctPrompt(role);
  return new Failure("refused", `Cannot brief role "${role}" from ${why}`, {
    cause: thrown,
    remedy: `${way[0]!.toUpperCase()}${way.slice(1)}`,
  });
}

export function brief(asked: Briefing): RolePrompt {
  const { role, definition, manifest, texts, ticket, request, branch, profile, trust } = asked;
  const { agents, skills } = texts;
  return assemblePrompt({
    role,
    rolePrompt: texts.rolePrompt,
    guardrails: texts.guardrails,
    knowledge: texts.knowledge,
    ...(agents && { agents }),
    skills: definition.tools.includes("knowledge_read") ? skills : [],
    ...(ticket && { ticket: ticketParts(ticket) }),
    notes: asked.notes ?? [],
    ...(request !== undefined && { request }),
    ...(asked.review !== undefined && { review: asked.review }),
    ...(asked.hint !== undefined && { hint: asked.hint }),
    ...(asked.before && { before: asked.before }),
    ...(branch !== undefined && { setup: manifest.project.setup }),
    checks: manifest.project.checks,
    servers: asked.servers ?? [],
    permission: { profile, trust },
    ...(branch !== undefined && { branch }),
    contextWindow: asked.contextWindow,
  });
}

/** Answers have a part of their own, since a prompt should say each thing once. */
function ticketParts({ facts, text }: TicketText) {
  const { rest, answers } = answersApart(text);
  const { id, source, vouched } = facts;
  return { id, source, vouched, text: rest, answers };
}

/** Leaves out what is refused, such as a link, or a file of credentials. */
async function textOr(harness: HarnessText, path: string): Promise<string | undefined> {
  try {
    return await harness(path, PROMPT_FILE_BYTES);
  } catch (thrown) {
    if (Failure.from(thrown).code === "refused") return undefined;
    throw thrown;
  }
}

/** In many repos one of the two files is a link to the other; links are not followed. */
async function rootGuidance(harness: HarnessText): Promise<PromptParts["agents"]> {
  for (const path of GUIDANCE_FILES) {
    const text = await textOr(harness, path);
    if (text?.trim()) return { path, text };
  }
  return undefined;
}

async function documents(harness: HarnessText, work: string) {
  const routes = await harness(KNOWLEDGE_ROUTES, PROMPT_FILE_BYTES);
  if (routes === undefined) return [];
  const glob = (pattern: string) => (path: string) => globMatcher(pattern)(foldedParts(path));
  const named = knowledgeFor(readKnowledgeRoutes(routes, KNOWLEDGE_ROUTES), pathsIn(work), glob);
  const found: { path: string; text: string }[] = [];
  for (const path of named) {
    if (GUIDANCE_FILES.some((known) => known === path)) continue;
    const text = await textOr(harness, path);
    if (text !== undefined) found.push({ path, text });
  }
  return found;
}

/** A role may report the dispositions in its routes, and also that it is blocked or has nothing to do. */
export function dispositionsOf({ routes }: Pick<ManifestRole, "routes">): ReportedDisposition[] {
  const known = new Set<string>([...Object.keys(routes), "blocked", "no_work"]);
  return REPORTED_DISPOSITIONS.filter((disposition) => known.has(disposition));
}

/** A ticket in the backlog waits for nobody, and a rehearsal moves none. */
export const mayAsk = (profile: Profile, ticket: Pick<Ticket, "state"> | undefined): boolean =>
  profile === "host" && (ticket?.state === "in-progress" || ticket?.state === "review");

export const handsIn = ({ routes }: Pick<ManifestRole, "routes">): boolean =>
  Object.hasOwn(routes, "submitted");
