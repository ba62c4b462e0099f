/** What a ticket says must hold when it is done: its `acceptance` and the lines below "## Acceptance". */
import { bodyLines, bodySections, isHeadingOf } from "./body_sections.ts";
import type { TicketFields } from "./ticket_shape.ts";

/** @param text the whole file. Lists may say a thing twice */
export function acceptanceLines(
  { acceptance }: Pick<TicketFields, "acceptance">,
  text: string,
): readonly string[] {
  let inside = false;
  const below: string[] = [];
  for (const { text: line, code } of bodyLines(text)) {
    if (!code && /^#{1,2}[ \t]/.test(line)) inside = isHeadingOf(line, "Acceptance");
    else if (inside && line.trim() !== "") below.push(line);
  }
  return [...acceptance, ...below];
}

/** "renew the key" for "- [x] renew the key". */
const wishIn = (line: string) => /^[-*+] \[[ xX]\] (.*)$/.exec(line.trim())?.[1];

/** What a new ticket without acceptance says there. */
export const NO_WISH = "to be said";

/**
 * Changes the section "## Acceptance" as the list of the front matter was changed: what left the list leaves
 * the section, what is new joins it, and every other line stays.
 */
export function withWishes(
  body: string,
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
  eol: string,
): string {
  const section = bodySections(body).find(({ heading }) => isHeadingOf(heading, "Acceptance"));
  if (section === undefined) return body;
  const { textFrom, to } = section;
  const gone = new Set([NO_WISH, ...before.filter((wish) => !after.includes(wish))]);
  // Behind the heading's own line end.
  const [, ...lines] = body.slice(textFrom, to).split(/\r?\n/);
  const kept = lines.filter((line) => !gone.has(wishIn(line) ?? ""));
  const known = new Set(kept.map(wishIn));
  const fresh = after.filter((wish) => !known.has(wish));
  const said = kept.some((line) => line.trim() !== "");
  const added = said || fresh.length > 0 ? fresh : [NO_WISH];
  const all = [...(said ? kept : [""]), ...added.map((wish) => `- [ ] ${wish}`)];
  return `${body.slice(0, textFrom)}${eol}${all.join(eol)}${body.slice(to)}`;
}
