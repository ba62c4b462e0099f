/** Which dialog is open. */
import { signal } from "@preact/signals";
import type { ControlKey } from "./controls.ts";

type Sheet =
  | { readonly kind: "help" }
  | { readonly kind: "controls" }
  | {
    readonly kind: "control";
    readonly key: ControlKey;
    readonly given: Readonly<Record<string, string>>;
  };

export const sheet = signal<Sheet | undefined>();

export function openControl(key: ControlKey, given: Readonly<Record<string, string>> = {}): void {
  sheet.value = { kind: "control", key, given };
}
