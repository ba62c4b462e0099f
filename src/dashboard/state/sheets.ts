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

/** The action of a card. */
interface AskedAction {
  /** Its key: what is typed is kept with it. */
  readonly card: string;
  readonly title: string;
  readonly action: InboxAction;
  /** The repo in which its command is typed, where there are several. */
  readonly folder: string | undefined;
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
    /** What is answered. */
    readonly question?: string | undefined;
  }
  | ({ readonly kind: "action" } & AskedAction);

export const sheet = signal<Sheet | undefined>();

/** What was moved last, as "repo id state": its card takes the focus where it comes up again. */
export const movedTicket = signal("");

export function openControl(
  key: ControlKey,
  given: Readonly<Record<string, string>> = {},
  question?: string,
): void {
  sheet.value = { kind: "control", key, given, question };
}

export function openAction(asked: AskedAction): void {
  sheet.value = { kind: "action", ...asked };
}

export function openMove(ticket: MovableTicket, to?: TicketState): void {
  sheet.value = { kind: "move", ticket, to };
}

/** After what was asked there is done: a person may have left that dialog, and be in another one. */
export function closeSheet(done: Sheet | undefined): void {
  if (sheet.peek() === done) sheet.value = undefined;
}
