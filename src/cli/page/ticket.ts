/** Parts that the ticket commands share: a ticket as JSON and as fields, and the user's name. */
import type { z } from "zod";
import type { App } from "svc/app.ts";
import { statesOf } from "svc/core/machine.ts";
import type { Question } from "svc/core/question.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";
import { PRIORITIES, TICKET_TYPES } from "svc/features/tickets/ticket_names.ts";
import type { GitRepo } from "svc/platform/git/git.ts";

export function questionResult(zod: typeof z): z.ZodType<Question> {
  const text = zod.string();
  return zod.strictObject({
    asked: text,
    choices: zod.array(text),
    why: text,
    role: text,
    job: text,
  });
}

export function ticketResult(zod: typeof z): z.ZodType<Ticket> {
  const text = zod.string();
  return zod.strictObject({
    id: text,
    title: text,
    type: zod.enum(TICKET_TYPES),
    priority: zod.enum(PRIORITIES),
    role: text,
    created: text,
    updated: text,
    source: text,
    vouched: text.exactOptional(),
    fingerprint: text.exactOptional(),
    depends_on: zod.array(text),
    acceptance: zod.array(text),
    unblock: zod.strictObject({ owner: text, action: text }).exactOptional(),
    question: questionResult(zod).exactOptional(),
    rework: zod.int(),
    attempts: zod.int(),
    branch: text.exactOptional(),
    external_url: text.exactOptional(),
    state: zod.enum(statesOf(ticketMachine)),
    path: text,
  });
}

export function ticketFields(ticket: Ticket): [string, string][] {
  const { vouched, depends_on, unblock, question, rework, attempts, branch, external_url } = ticket;
  return [
    ["state", ticket.state],
    ...(unblock ? [["waits for", `${unblock.owner}: ${unblock.action}`] as [string, string]] : []),
    ...(question === undefined ? [] : questionFields(question)),
    ["type", ticket.type],
    ["priority", ticket.priority],
    ["role", ticket.role],
    ["source", vouched === undefined ? ticket.source : `${ticket.source}, vouched by ${vouched}`],
    ["updated", ticket.updated],
    ...(depends_on.length > 0 ? [["depends on", depends_on.join(", ")] as [string, string]] : []),
    ...(rework > 0 ? [["rework", String(rework)] as [string, string]] : []),
    ...(attempts > 0 ? [["attempts", String(attempts)] as [string, string]] : []),
    ...(branch ? [["branch", branch] as [string, string]] : []),
    ...(external_url ? [["url", external_url] as [string, string]] : []),
    ["file", ticket.path],
  ];
}

function questionFields({ role, asked, choices, why }: Question): [string, string][] {
  return [
    [`${role} asks`, asked],
    ...choices.map((choice, at): [string, string] => [`choice ${at + 1}`, choice]),
    ...(why === "" ? [] : [["because", why] as [string, string]]),
  ];
}

/** The user's name as git has it, for a ticket's evidence; "human" where git has none. */
export async function userName(
  { git, env }: Pick<App, "env" | "git">,
  repo: Pick<GitRepo, "configGet">,
): Promise<string> {
  const said = env.get("GIT_AUTHOR_NAME") ?? await repo.configGet("user.name") ??
    await git.userSetting("user.name");
  return said?.trim() || "human";
}
