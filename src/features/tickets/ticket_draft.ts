/** The text of a new ticket. */
import { flat } from "svc/core/flat.ts";
import { NO_WISH } from "./acceptance.ts";
import { bodyLines } from "./body_sections.ts";
import { yamlValue } from "./front_edit.ts";
import { type Evidence, evidenceLine } from "./ticket_file.ts";
import type { TicketFields } from "./ticket_shape.ts";

/** Characters of a title in a file name: a line of `git status` stays readable. */
const TICKET_SLUG_CHARS = 48;

export interface TicketDraft
  extends
    Pick<TicketFields, "title" | "type" | "priority" | "role" | "source">,
    Partial<
      Pick<TicketFields, "fingerprint" | "depends_on" | "acceptance" | "external_url" | "vouched">
    > {
  /** Markdown; may come from outside. */
  readonly context?: string;
}

/** "Tidy the Shed!" → "tidy-the-shed"; empty where the title has no ASCII letter. */
export function slugOf(title: string): string {
  const words = title.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
    .split(/[^a-z0-9]+/).filter((word) => word !== "");
  let slug = "";
  for (const word of words) {
    const longer = slug === "" ? word : `${slug}-${word}`;
    if (longer.length > TICKET_SLUG_CHARS) break;
    slug = longer;
  }
  return slug || (words[0] ?? "").slice(0, TICKET_SLUG_CHARS);
}

/**
 * A heading in a text from outside must not pass for one of the ticket's own sections, nor may a fence that it
 * does not end hide them. Code that it ends stays as it was written: comments and `#include` begin like headings.
 */
function quotedContext(text: string): string {
  const plain = text.toWellFormed().replaceAll(/\r\n?/g, "\n").trim();
  const quoted = (line: string) => line.replace(/^( {0,3})(?=#{1,6}(?:\s|$)|```|~~~)/, "$1\\");
  return bodyLines(plain).map(({ text, code }) => code ? text : quoted(text)).join("\n").trimEnd();
}

/** As it stands in the ticket's text. */
export const contextOf = ({ context = "", title }: Pick<TicketDraft, "context" | "title">) =>
  quotedContext(context) || quotedContext(flat(title));

type NewTicketFields = Omit<TicketFields, "question">;

export function newFields(id: string, draft: TicketDraft, at: string): NewTicketFields {
  const { type, priority, source, vouched, fingerprint, external_url } = draft;
  return {
    id,
    title: flat(draft.title),
    type,
    priority,
    role: draft.role,
    created: at,
    updated: at,
    source,
    ...(vouched !== undefined && { vouched }),
    ...(fingerprint !== undefined && { fingerprint }),
    depends_on: [...new Set(draft.depends_on)],
    acceptance: (draft.acceptance ?? []).map(flat).filter((line) => line !== ""),
    rework: 0,
    attempts: 0,
    ...(external_url !== undefined && { external_url }),
  };
}

export function newTicketText(
  fields: NewTicketFields,
  draft: TicketDraft,
  evidence: Evidence,
): string {
  const front = Object.entries(fields).map(([key, value]) =>
    `${key}:${yamlValue(value, { eol: "\n" })}`
  );
  const wishes = (fields.acceptance.length > 0 ? fields.acceptance : [NO_WISH])
    .map((line) => `- [ ] ${line}`);
  return [
    ...["---", ...front, "---", ""],
    ...["## Context", "", contextOf(draft), ""],
    ...["## Acceptance", "", ...wishes, ""],
    ...["## Evidence", "", evidenceLine(evidence), ""],
  ].join("\n");
}
