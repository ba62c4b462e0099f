/** A ticket on the board, with a grip by which mouse, finger and keyboard move it. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { BoardHand } from "svc/dashboard/state/board_hand.ts";
import { movedTicket, openMove } from "svc/dashboard/state/sheets.ts";
import { keyOfTicket } from "svc/dashboard/state/ticket_pages.ts";
import type { TicketItem } from "svc/runtime/views/tickets_view.ts";
import { Age } from "./facts.tsx";
import { Icon } from "./icon.tsx";
import { Excerpt, Found, Now, Priority, TicketTitle } from "./ticket_facts.tsx";

const CARRIES = {
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: "first",
  End: "last",
} as const;

export function BoardCard(
  { ticket, hand, query, repos }: {
    readonly ticket: TicketItem;
    readonly hand: BoardHand;
    readonly query: string;
    readonly repos: boolean;
  },
) {
  const grip = useRef<HTMLButtonElement>(null);
  const key = keyOfTicket(ticket);
  const picked = hand.picked?.key === key;
  useEffect(() => {
    // It was moved a moment ago, and is drawn anew in another column.
    if (movedTicket.peek() !== `${key} ${ticket.state}`) return;
    movedTicket.value = "";
    grip.current?.focus();
  }, []);
  const letGo = () => hand.holds(key) && hand.leave();
  // Not when `picked` ends: that is told late, when the ticket may be carried again.
  useLayoutEffect(() => () => void letGo(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    const held = hand.holds(key);
    if (event.key === " " || event.key === "Enter") {
      if (held) hand.drop(ticket);
      else hand.pick(ticket);
    } else if (!held) return;
    else if (event.key === "Escape") hand.leave();
    else if (event.key in CARRIES) hand.carry(CARRIES[event.key as keyof typeof CARRIES]);
    else return;
    event.preventDefault();
  };
  const about = [ticket.type, ticket.role, ...(repos ? [ticket.repo] : [])];
  return (
    <li
      class={`ticket-card${picked ? " picked" : ""}${hand.dragged === ticket ? " dragged" : ""}`}
      data-item
      draggable
      onDragStart={(event) => {
        event.dataTransfer?.setData("text/plain", `${ticket.id} ${ticket.title}`);
        if (event.dataTransfer !== null) event.dataTransfer.effectAllowed = "move";
        hand.drag(ticket);
      }}
      onDragEnd={() => hand.drag(undefined)}
    >
      <p class="ticket-title">
        <TicketTitle of={ticket} query={query} />
      </p>
      <button
        ref={grip}
        type="button"
        class="grip"
        data-key="m"
        aria-label={`Move ${ticket.id}`}
        aria-describedby="grip-help"
        aria-pressed={picked}
        onKeyDown={onKeyDown}
        // A space clicks when it is let go.
        onKeyUp={(event) => event.key === " " && event.preventDefault()}
        onBlur={letGo}
        onClick={() => openMove(ticket)}
      >
        <Icon name="grip" />
      </button>
      <Excerpt of={ticket} query={query} />
      <Now of={ticket} />
      <p class="ticket-about">
        <Priority of={ticket.priority} />
        <span>
          <Found text={ticket.id} query={query} />
        </span>
        {about.map((part, nth) => <span key={nth}>{part}</span>)}
        <Age at={ticket.updated} />
      </p>
    </li>
  );
}
