/** Where a ticket may go from where it is, and what each move needs; a test holds it to the state machine. Pure. */

export const TICKET_STATES = ["backlog", "in-progress", "review", "blocked", "done"] as const;
export type TicketState = typeof TICKET_STATES[number];

export const TICKET_TYPES = ["feature", "bug", "debt", "docs", "hygiene", "question"] as const;
export const PRIORITIES = ["p0", "p1", "p2", "p3"] as const;

const WAYS: Readonly<Record<TicketState, readonly TicketState[]>> = {
  backlog: ["in-progress"],
  "in-progress": ["review", "blocked", "backlog"],
  review: ["done", "in-progress", "blocked", "backlog"],
  blocked: ["backlog"],
  done: [],
};

const isState = (state: string): state is TicketState => Object.hasOwn(WAYS, state);

export const waysFrom = (state: string): readonly TicketState[] =>
  isState(state) ? WAYS[state] : [];

export const mayMove = (from: string, to: string): boolean =>
  (waysFrom(from) as readonly string[]).includes(to);

/** "review leads to done, in-progress, blocked or backlog". */
export function waysInWords(from: string): string {
  const ways = waysFrom(from);
  if (ways.length === 0) return `${from} is final`;
  if (ways.length === 1) return `${from} leads to ${ways[0]}`;
  return `${from} leads to ${ways.slice(0, -1).join(", ")} or ${ways.at(-1)}`;
}

/** What is asked before a ticket moves: who it waits for, or that what it waited for has happened. */
export function moveNeeds(from: string, to: string): "unblock" | "happened" | undefined {
  if (to === "blocked") return "unblock";
  return from === "blocked" ? "happened" : undefined;
}

/** A ticket in the hand of a person at the keyboard. */
export interface PickedTicket {
  readonly id: string;
  readonly from: string;
  /** The column that it is held over. */
  readonly over: TicketState;
}

export function pickedUp({ id, state }: { readonly id: string; readonly state: string }) {
  return isState(state) ? { id, from: state, over: state } : undefined;
}

/** The next column on that side; the outermost stays. */
export function carried(picked: PickedTicket, by: 1 | -1 | "first" | "last"): PickedTicket {
  const last = TICKET_STATES.length - 1;
  const at = TICKET_STATES.indexOf(picked.over);
  const to = by === "first" ? 0 : by === "last" ? last : Math.min(last, Math.max(0, at + by));
  return { ...picked, over: TICKET_STATES[to]! };
}

const placeOf = (state: TicketState) =>
  `column ${TICKET_STATES.indexOf(state) + 1} of ${TICKET_STATES.length}`;

/** What a screen reader says while a ticket is carried. */
export const spokenMove = {
  up: ({ id, over }: PickedTicket) =>
    `${id} is picked up from ${over}, ${
      placeOf(over)
    }. Left and right choose a column, Enter drops it, Escape leaves it where it is.`,
  over: ({ from, over, id }: PickedTicket) =>
    over === from
      ? `${over}, ${placeOf(over)}: here ${id} is now`
      : mayMove(from, over)
      ? `${over}, ${placeOf(over)}`
      : `${over}, ${placeOf(over)}: not from here, ${waysInWords(from)}`,
  refused: ({ id, from, over }: PickedTicket) =>
    `${id} cannot go to ${over}: ${waysInWords(from)}. It is still picked up.`,
  left: ({ id, from }: PickedTicket) => `${id} stays in ${from}.`,
  dropped: ({ id, over }: PickedTicket) => `${id} is dropped on ${over}; say what the move needs.`,
};
