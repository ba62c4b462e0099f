/** Tickets as the service sends them: a page that follows events, and further ones on demand. */
import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { read } from "./api.ts";
import { useLatest } from "./resource.ts";
import type { TicketItem, Tickets } from "svc/runtime/views/tickets_view.ts";

export const keyOfTicket = ({ repo_id, id }: Pick<TicketItem, "repo_id" | "id">) =>
  `${repo_id} ${id}`;

/** So many further pages are read again when the first has changed; of more, each ticket is shown once. */
const FOLLOWED_PAGES = 5;

interface FurtherPages {
  readonly pages: number;
  readonly tickets: readonly TicketItem[];
  readonly next: string | null;
}

function joined(first: readonly TicketItem[], further: readonly TicketItem[]): TicketItem[] {
  const seen = new Set(first.map(keyOfTicket));
  return [...first, ...further.filter((one) => !seen.has(keyOfTicket(one)))];
}

async function readFurther(url: string, from: string, pages: number): Promise<FurtherPages> {
  let found: readonly TicketItem[] = [];
  let next: string | null = from;
  let count = 0;
  while (next !== null && count < pages) {
    const page: Tickets = await read(`${url}&after=${encodeURIComponent(next)}`);
    found = joined(found, page.tickets);
    next = page.next;
    count++;
  }
  return { pages: count, tickets: found, next };
}

/** @param url with a query */
export function useTicketPages(url: string) {
  const first = useLatest<Tickets>(url);
  const further = useSignal<FurtherPages | undefined>(undefined);
  const busy = useSignal(false);
  const fault = useSignal<string | undefined>(undefined);
  const page = first.data.value;
  const asked = useRef(url);
  const of = useRef(page);
  useEffect(() => {
    asked.current = url;
    further.value = undefined;
    fault.value = undefined;
  }, [url]);
  useEffect(() => {
    const known = further.peek();
    const changed = of.current !== page;
    of.current = page;
    if (!changed || known === undefined || known.pages > FOLLOWED_PAGES || !page?.next) return;
    readFurther(url, page.next, known.pages).then(
      (again) => {
        if (asked.current === url && further.peek() === known) further.value = again;
      },
      () => {}, // the first page says that the service does not answer
    );
  }, [page]);
  const next = further.value === undefined ? page?.next ?? null : further.value.next;
  const more = useCallback(async () => {
    if (next === null || busy.peek()) return;
    busy.value = true;
    try {
      const page = await readFurther(url, next, 1);
      const kept = further.peek();
      if (asked.current === url) {
        further.value = {
          pages: (kept?.pages ?? 0) + 1,
          tickets: joined(kept?.tickets ?? [], page.tickets),
          next: page.next,
        };
      }
      fault.value = undefined;
    } catch (thrown) {
      fault.value = (thrown as Error).message;
    }
    busy.value = false;
  }, [url, next]);
  return {
    first,
    tickets: joined(page?.tickets ?? [], further.value?.tickets ?? []),
    more: next === null ? undefined : more,
    busy: busy.value,
    fault: fault.value,
  };
}
