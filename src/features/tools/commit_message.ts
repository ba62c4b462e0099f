/** The message of a role's commit: its own words, and trailers that say whose they are. */
import type { ToolSession } from "./tool.ts";

const CONVENTIONAL = /^[a-z]+(?:\([^()\n]+\))?!?: \S/;

/** `type(scope): what` (conventionalcommits.org, 1.0.0). */
export function isConventional(message: string): boolean {
  return CONVENTIONAL.test(message.trim());
}

/** A line of the last block of trailers (git-interpret-trailers(1)). */
const TRAILER = /^[A-Za-z0-9-]+: \S.*$/;

/** Removes `Svc-…` trailers of the message: only svc says whose a commit is. */
export function withTrailers(message: string, trailers: Readonly<Record<string, string>>): string {
  const lines = message.replaceAll(/\r\n?/g, "\n").split("\n")
    .filter((line) => !/^\s*svc-[\w-]+\s*:/i.test(line));
  const body = lines.join("\n").trim() || "chore: changes";
  const last = body.split(/\n{2,}/).slice(1).at(-1);
  const joins = last !== undefined && last.split("\n").every((line) => TRAILER.test(line));
  const added = Object.entries(trailers).map(([key, value]) => `${key}: ${value}`).join("\n");
  return `${body}${joins ? "\n" : "\n\n"}${added}\n`;
}

export function commitMessage(
  message: string,
  { redact, role, job, ticket }: Pick<ToolSession, "job" | "redact" | "role" | "ticket">,
  more: Readonly<Record<string, string>> = {},
): string {
  const whose = { "Svc-Role": role, "Svc-Job": job, ...(ticket && { "Svc-Ticket": ticket }) };
  const trailers = { ...whose, ...more };
  return withTrailers(redact(message), trailers);
}
