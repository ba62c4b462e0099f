/** Which dialog is open. */
import { signal } from "@preact/signals";
import type { InboxAction } from "svc/runtime/views/action_shape.ts";
import type { ControlKey } from "./controls.ts";

type Sheet =
  | { readonly kind: "help" }
  | { readonly kind: "controls" }
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

export function openControl(key: ControlKey, given: Readonly<Record<string, string>> = {}): void {
  sheet.value = { kind: "control", key, given };
}

/** @param card its key: what is typed is kept with it */
export function openAction(card: string, title: string, action: InboxAction): void {
  sheet.value = { kind: "action", card, title, action };
}
