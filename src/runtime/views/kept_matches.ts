/** Which tickets match a search, found once for all who ask the same of the same files. */
import {
  type FoundTicket,
  matchesIn,
  type SearchedRepo,
  type TicketQuery,
  type TicketSort,
} from "svc/features/tickets/search_tickets.ts";

/** Searches that are kept with the files that they are about; a board asks one of them for each of its columns. */
const KEPT = 2;

const kept = new WeakMap<object, Map<string, readonly FoundTicket[]>>();

/** As `matchesIn`. @param files what was read of the repo: what is read anew is searched anew */
export function keptMatches(
  files: object,
  repo: SearchedRepo,
  query: TicketQuery,
  sort: TicketSort,
): readonly FoundTicket[] {
  const searches = kept.get(files) ?? new Map<string, readonly FoundTicket[]>();
  kept.set(files, searches);
  const { search, role, type, priority } = query;
  const key = JSON.stringify([repo.name, sort, search, role, type, priority]);
  const known = searches.get(key);
  if (known !== undefined) return known;
  const found = matchesIn(repo, query, sort);
  searches.set(key, found);
  const [oldest] = searches.keys();
  if (searches.size > KEPT) searches.delete(oldest!);
  return found;
}
