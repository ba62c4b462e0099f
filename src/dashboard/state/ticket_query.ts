/** Which tickets are asked for, as the address of the page says it and as the service takes it. Pure. */

/** Parameters of the page's address and what the API calls them. */
const NAMES = {
  q: "search",
  state: "state",
  role: "role",
  priority: "priority",
  repo: "repo_id",
  sort: "sort",
} as const;

export type TicketFilter = Readonly<Record<keyof typeof NAMES, string>>;

/** Without what is not asked for: the service refuses empty parameters. */
export function ticketsUrl(
  filter: Partial<TicketFilter>,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams();
  for (const [own, name] of Object.entries(NAMES)) {
    const value = filter[own as keyof TicketFilter]?.trim() ?? "";
    if (value !== "") query.set(name, value);
  }
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return `/api/tickets?${query}`;
}

interface TextPart {
  readonly text: string;
  readonly found: boolean;
}

/** Cuts a text at the words that were looked for, whatever their case; "several words" in quotes are one. */
export function foundParts(text: string, query: string): readonly TextPart[] {
  const words = [...query.matchAll(/"([^"]+)"|[^\s"]+/g)]
    .map(([word, phrase]) => phrase?.trim() ?? word).filter((word) => word !== "")
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  if (words.length === 0) return [{ text, found: false }];
  return text.split(new RegExp(`(${words.join("|")})`, "iu"))
    .map((part, nth) => ({ text: part, found: nth % 2 === 1 }))
    .filter((part) => part.text !== "");
}
