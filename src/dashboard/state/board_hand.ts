/** The ticket that a person drags with the mouse, or carries with the keyboard, over the board. */
import { useSignal } from "@preact/signals";
import type { TicketItem } from "svc/runtime/views/tickets_view.ts";
import { openMove } from "./sheets.ts";
import { carried, mayMove, type PickedTicket, pickedUp, spokenMove } from "./ticket_moves.ts";
import { keyOfTicket } from "./ticket_pages.ts";

export interface BoardHand {
  /** The ticket that the keyboard carries, and the one that the mouse drags. */
  readonly picked: (PickedTicket & { readonly key: string }) | undefined;
  readonly dragged: TicketItem | undefined;
  /** Whether the keyboard carries it now: keys may come faster than the page is drawn. @param key of a ticket */
  holds(key: string): boolean;
  pick(ticket: TicketItem): void;
  carry(by: 1 | -1 | "first" | "last"): void;
  drop(ticket: TicketItem): void;
  leave(): void;
  drag(ticket: TicketItem | undefined): void;
}

export function useHand(): BoardHand & { readonly said: string } {
  const picked = useSignal<BoardHand["picked"]>(undefined);
  const dragged = useSignal<TicketItem | undefined>(undefined);
  const said = useSignal("");
  return {
    picked: picked.value,
    dragged: dragged.value,
    said: said.value,
    holds: (key) => picked.peek()?.key === key,
    pick(ticket) {
      const up = pickedUp(ticket);
      if (up === undefined) return;
      picked.value = { ...up, key: keyOfTicket(ticket) };
      said.value = spokenMove.up(up);
    },
    carry(by) {
      const now = picked.peek();
      if (now === undefined) return;
      picked.value = { ...carried(now, by), key: now.key };
      said.value = spokenMove.over(picked.peek()!);
    },
    drop(ticket) {
      const now = picked.peek();
      if (now === undefined) return;
      if (now.over === now.from) return this.leave();
      if (!mayMove(now.from, now.over)) {
        said.value = spokenMove.refused(now);
        return;
      }
      said.value = spokenMove.dropped(now);
      picked.value = undefined;
      openMove(ticket, now.over);
    },
    leave() {
      const now = picked.peek();
      if (now !== undefined) said.value = spokenMove.left(now);
      picked.value = undefined;
    },
    drag(ticket) {
      dragged.value = ticket;
    },
  };
}
