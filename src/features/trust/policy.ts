/** The only place that allows a tool call. It has five parts, and each can only refuse. */
import type { Capability } from "svc/core/permission.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import { guardrailObjection, type Objection } from "./guardrails.ts";
import {
  POLICY_PARTS,
  type PolicyPart,
  type PolicyQuestion,
  type PolicyVerdict,
} from "./policy_question.ts";

const HOST = "--execution-profile host --acknowledge-host-execution";

/** Undefined when the call only reads or ends the job. */
function beyondReading({ capabilities }: PolicyQuestion): string | undefined {
  const more = capabilities.filter((needed) => needed !== "read" && needed !== "finish");
  return more.length === 0 ? undefined : more.map((needed) => `"${needed}"`).join(" and ");
}

/** Ending a job is allowed wherever a job can run. */
function onlyFinishes({ capabilities }: PolicyQuestion): boolean {
  const end: Capability = "finish";
  return capabilities.length > 0 && capabilities.every((needed) => needed === end);
}

function byProfile(question: PolicyQuestion): Objection | undefined {
  if (question.profile === "isolated") {
    return {
      reason: 'profile "isolated" is unavailable',
      remedy: `Leave --execution-profile out to only read, or pass ${HOST}`,
    };
  }
  const more = beyondReading(question);
  if (question.profile === "host" || more === undefined) return undefined;
  return {
    reason: `profile "observer" only reads, and ${question.tool} needs ${more}`,
    remedy: `Start svc with ${HOST}`,
  };
}

function word(text: string): string {
  return /^[\w./~:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function byRoleTrust(question: PolicyQuestion): Objection | undefined {
  const more = beyondReading(question);
  const { roleTrust, roleTools, role, repo = ".", tool } = question;
  if (roleTrust === "contributor" || more === undefined) return undefined;
  return {
    reason: roleTools === undefined
      ? `this session has observer trust, and ${tool} needs ${more}`
      : `role "${role}" has observer trust on this repo, and ${tool} needs ${more}`,
    remedy: roleTools === undefined
      ? "Start the session with contributor trust: svc mcp serve --trust contributor"
      : `svc trust set ${role} ${word(repo)} contributor --reason "why"`,
  };
}

function bySourceTrust(question: PolicyQuestion): Objection | undefined {
  const more = beyondReading(question);
  if (question.sourceTrust === "contributor" || more === undefined) return undefined;
  return {
    reason: `the work was asked for by someone without write access, and ${question.tool} ` +
      `needs ${more}`,
    remedy:
      "Read the ticket, then vouch for it: svc tickets move <id> and the state that it has, " +
      "or another",
  };
}

function byRoleTools({ role, roleTools, tool }: PolicyQuestion): Objection | undefined {
  if (roleTools === undefined || roleTools.includes(tool)) return undefined;
  return {
    reason: `role "${role}" is not given ${tool}`,
    remedy: `Add "${tool}" to roles.${role}.tools in ${MANIFEST_PATH}`,
  };
}

function byGuardrails(question: PolicyQuestion): Objection | undefined {
  const { guardrails: { fault }, tool } = question;
  const more = beyondReading(question);
  if (fault === undefined || more === undefined) return guardrailObjection(question);
  return {
    reason: `the rules of this repo are not known, and ${tool} needs ${more}: ${fault}`,
    remedy: `Mend ${MANIFEST_PATH}; until then roles only read`,
  };
}

const PARTS: Readonly<Record<PolicyPart, (question: PolicyQuestion) => Objection | undefined>> = {
  profile: byProfile,
  role_trust: byRoleTrust,
  source_trust: bySourceTrust,
  role_tools: byRoleTools,
  guardrails: byGuardrails,
};

function answer(part: PolicyPart, question: PolicyQuestion): PolicyVerdict {
  if (part !== "profile" && onlyFinishes(question)) return { allowed: true };
  const objection = PARTS[part](question);
  return objection === undefined ? { allowed: true } : { allowed: false, by: part, ...objection };
}

/** Called for each tool call; answers are not cached. Pure, never throws. */
export function decide(question: PolicyQuestion): PolicyVerdict {
  for (const part of POLICY_PARTS) {
    const verdict = answer(part, question);
    if (!verdict.allowed) return verdict;
  }
  return { allowed: true };
}

export function explain(
  question: PolicyQuestion,
): readonly { readonly part: PolicyPart; readonly verdict: PolicyVerdict }[] {
  return POLICY_PARTS.map((part) => ({ part, verdict: answer(part, question) }));
}
