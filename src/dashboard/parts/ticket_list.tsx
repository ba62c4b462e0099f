/** Tickets as rows: sorted by the service, drawn a window at a time. */
import { asked, hrefWith } from "svc/dashboard/state/place.ts";
import { openMove } from "svc/dashboard/state/sheets.ts";
import { keyOfTicket } from "svc/dashboard/state/ticket_pages.ts";
import type { TicketItem } from "svc/runtime/views/tickets_view.ts";
import { Age } from "./facts.tsx";
import { Icon } from "./icon.tsx";
import { Excerpt, Found, Priority, TicketState, TicketTitle } from "./ticket_facts.tsx";
import { WindowList } from "./window_list.tsx";

const HEIGHTS = { wide: 36, phone: 66 };
/** With the line of the text in which the words were found. */
const FOUND_HEIGHTS = { wide: 56, phone: 88 };

export const SORTS = [
  { value: "priority", text: "Most urgent first" },
  { value: "updated", text: "Last changed first" },
  { value: "created", text: "Newest first" },
  { value: "id", text: "By id" },
  { value: "title", text: "By title" },
] as const;

const HEADS: readonly (readonly [name: string, sort: string])[] = [
  ["State", ""],
  ["Priority", "priority"],
  ["Id", "id"],
  ["Title", "title"],
  ["Type", ""],
  ["Role", ""],
  ["Repo", ""],
  ["Changed", "updated"],
];

function Heads() {
  const now = asked("sort");
  return (
    <div class="ticket-row ticket-heads">
      {HEADS.map(([name, sort]) =>
        sort === "" ? <span key={name}>{name}</span> : (
          <a
            key={name}
            href={hrefWith({ sort: now === sort ? "" : sort })}
            aria-current={now === sort ? "true" : undefined}
            title={SORTS.find(({ value }) => value === sort)?.text}
          >
            {name}
            {now === sort && <span aria-hidden="true">&nbsp;↓</span>}
          </a>
        )
      )}
    </div>
  );
}

function Row({ of, query }: { readonly of: TicketItem; readonly query: string }) {
  return (
    <div class="ticket-row" data-item>
      <TicketState state={of.state} />
      <Priority of={of.priority} />
      <span class="ticket-id">
        <Found text={of.id} query={query} />
      </span>
      <span class="ticket-name">
        <TicketTitle of={of} query={query} />
        <Excerpt of={of} query={query} />
      </span>
      <span class="ticket-type">{of.type}</span>
      <span class="ticket-role">
        <Found text={of.role} query={query} />
      </span>
      <span class="ticket-repo">{of.repo}</span>
      <Age at={of.updated} />
      <button
        type="button"
        class="grip"
        data-key="m"
        aria-label={`Move ${of.id}`}
        title={`Move ${of.id}`}
        onClick={() => openMove(of)}
      >
        <Icon name="more" />
      </button>
    </div>
  );
}

export function TicketRows(
  { tickets, query, onEnd }: {
    readonly tickets: readonly TicketItem[];
    readonly query: string;
    readonly onEnd: (() => void) | undefined;
  },
) {
  return (
    <div class={query === "" ? "ticket-rows" : "ticket-rows with-found"}>
      <Heads />
      <WindowList
        key={query === "" ? "all" : "found"}
        items={tickets}
        heights={query === "" ? HEIGHTS : FOUND_HEIGHTS}
        keyOf={keyOfTicket}
        {...(onEnd && { onEnd })}
      >
        {(ticket: TicketItem) => <Row of={ticket} query={query} />}
      </WindowList>
    </div>
  );
}
