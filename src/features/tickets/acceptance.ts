/** What a ticket says must hold when it is done: its `acceptance` and the lines below "## Acceptance". */
import type { TicketFields } from "./ticket_shape.ts";

/** @param text the whole file. Lists may say a thing twice */
export function acceptanceLines(
  { acceptance }: Pick<TicketFields, "acceptance">,
  text: string,
): readonly string[] {
  let inside = false;
  const below: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (/^#{1,2}[ \t]/.test(line)) inside = /^##[ \t]+Acceptance[ \t#]*$/.test(line);
    else if (inside && line.trim() !== "") below.push(line);
  }
  return [...acceptance, ...below];
}
