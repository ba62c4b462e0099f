/** Tickets as a board: a column for each state, from which they are moved by mouse or keyboard. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type BoardHand, useHand } from "svc/dashboard/state/board_hand.ts";
import { openMove } from "svc/dashboard/state/sheets.ts";
import {
  mayMove,
  TICKET_STATES,
  type TicketState,
  waysInWords,
} from "svc/dashboard/state/ticket_moves.ts";
import { keyOfTicket, useTicketPages } from "svc/dashboard/state/ticket_pages.ts";
import { type TicketFilter, ticketsUrl } from "svc/dashboard/state/ticket_query.ts";
import { BoardCard } from "./board_card.tsx";
import { Icon } from "./icon.tsx";
import { TICKET_TONES } from "./ticket_facts.tsx";

const A_COLUMN = "40";

function Column(
  { state, filter, count, hand, repos }: {
    readonly state: TicketState;
    readonly filter: TicketFilter;
    readonly count: number;
    readonly hand: BoardHand;
    readonly repos: boolean;
  },
) {
  const ref = useRef<HTMLElement>(null);
  const over = useSignal(false);
  const { tickets, first, more, busy, fault } = useTicketPages(
    ticketsUrl({ ...filter, state }, { limit: A_COLUMN }),
  );
  const from = hand.dragged?.state ?? hand.picked?.from;
  const open = from !== undefined && mayMove(from, state);
  const closed = from !== undefined && !open && from !== state;
  const held = hand.picked?.over === state || (over.value && hand.dragged !== undefined);
  useEffect(() => {
    if (hand.picked?.over === state) ref.current?.scrollIntoView({ block: "nearest" });
  }, [hand.picked?.over]);
  const classes = ["column", `tone-${TICKET_TONES[state]}`];
  if (open) classes.push("open");
  if (closed) classes.push("closed");
  if (held) classes.push("held");
  return (
    <section
      ref={ref}
      class={classes.join(" ")}
      aria-labelledby={`column-${state}`}
      data-state={state}
      onDragOver={(event) => {
        if (!open) return;
        event.preventDefault(); // it may be dropped here
        over.value = true;
      }}
      onDragLeave={(event) => {
        if (!ref.current?.contains(event.relatedTarget as Node | null)) over.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        over.value = false;
        const ticket = hand.dragged;
        hand.drag(undefined);
        if (ticket !== undefined && open) openMove(ticket, state);
      }}
    >
      <header class="column-head">
        <h2 id={`column-${state}`}>
          <Icon name={TICKET_TONES[state]} />
          {state} <span class="count">{count}</span>
        </h2>
      </header>
      {held && open && <p class="column-drop" aria-hidden="true">Drop it here</p>}
      {closed && held && <p class="column-no" aria-hidden="true">{waysInWords(from!)}</p>}
      {(fault ?? first.fault.value) !== undefined && (
        <p class="fault" role="alert">{fault ?? first.fault.value}</p>
      )}
      <ul class="column-cards">
        {tickets.map((ticket) => (
          <BoardCard
            key={keyOfTicket(ticket)}
            ticket={ticket}
            hand={hand}
            query={filter.q}
            repos={repos}
          />
        ))}
      </ul>
      {tickets.length === 0 && first.data.value !== undefined && (
        <p class="column-none">{count === 0 ? "none" : "Looking…"}</p>
      )}
      {more !== undefined && (
        <button
          type="button"
          class="button column-more"
          disabled={busy}
          onClick={() => void more()}
        >
          {busy ? "Loading…" : `${Math.max(0, count - tickets.length)} more`}
          <span class="sr">in {state}</span>
        </button>
      )}
    </section>
  );
}

export function TicketBoard(
  { filter, counts, repos }: {
    readonly filter: TicketFilter;
    readonly counts: Readonly<Record<string, number>>;
    readonly repos: boolean;
  },
) {
  const hand = useHand();
  const states = TICKET_STATES.filter((state) => filter.state === "" || filter.state === state);
  return (
    <>
      <p id="grip-help" class="sr">
        Press Space or Enter to pick the ticket up, then left and right to choose a column.
      </p>
      <p class="sr" role="status" aria-live="assertive">{hand.said}</p>
      <div class={states.length === 1 ? "board one" : "board"}>
        {states.map((state) => (
          <Column
            key={state}
            state={state}
            filter={filter}
            count={counts[state] ?? 0}
            hand={hand}
            repos={repos}
          />
        ))}
      </div>
    </>
  );
}
