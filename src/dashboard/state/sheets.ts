/** Which dialog is open. */
import { signal } from "@preact/signals";
import type { InboxAction } from "svc/runtime/views/action_shape.ts";
import type { ControlKey } from "./controls.ts";
import type { TicketState } from "./ticket_moves.ts";

/** A ticket as its dialogs need it. */
export interface MovableTicket {
  readonly repo_id: string;
  readonly id: string;
  readonly title: string;
  readonly state: string;
}

export type Sheet =
  | { readonly kind: "help" }
  | { readonly kind: "controls" }
  | { readonly kind: "palette" }
  | { readonly kind: "new-ticket" }
  | { readonly kind: "move"; readonly ticket: MovableTicket; readonly to?: TicketState | undefined }
  | {
    readonly kind: "control";
    readonly key: ControlKey;
    readonly given: Readonly<Record<string, string>>;
  }
  | {
    readonly kind: "action";
    readonly card: string;
    readonly title: string;
    readonly action: InboxAction;
  };

export const sheet = signal<Sheet | undefined>();

/** What was moved last, as "repo id state": its card takes the focus where it comes up again. */
export const movedTicket = signal("");

export function openControl(key: ControlKey, given: Readonly<Record<string, string>> = {}): void {
  sheet.value = { kind: "control", key, given };
}

/** @param card its key: what is typed is kept with it */
export function openAction(card: string, title: string, action: InboxAction): void {
  sheet.value = { kind: "action", card, title, action };
}

export function openMove(ticket: MovableTicket, to?: TicketState): void {
  sheet.value = { kind: "move", ticket, to };
}
