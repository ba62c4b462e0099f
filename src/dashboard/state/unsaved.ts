/** Tickets that a person has typed and not saved: they outlive a page, a lost connection and an ended session. */
import { signal } from "@preact/signals";
import { forgetDrafts, hasDrafts } from "./drafts.ts";
import { notices } from "./notices.ts";
import { session } from "./session.ts";
import { sheet } from "./sheets.ts";

const typed = signal<ReadonlyMap<string, unknown>>(new Map());

export const editKey = (repo: string, id: string) => `edit ${repo} ${id}`;

/** @param key what was typed there, such as "new ticket" */
export function unsavedOf<T>(key: string): T | undefined {
  return typed.value.get(key) as T | undefined;
}

export function keepUnsaved<T>(key: string, now: T): void {
  typed.value = new Map([...typed.peek(), [key, now]]);
}

export const hasUnsaved = (): boolean => typed.peek().size > 0;

export function dropUnsaved(key: string): void {
  typed.value = new Map([...typed.peek()].filter(([name]) => name !== key));
}

/** The browser asks before it forgets what was typed; who logs out wants it forgotten, and all that was shown. */
export function startUnsaved(): void {
  addEventListener("beforeunload", (event) => {
    // A draft of a dialog that was closed may be of a card that is settled by now.
    const open = sheet.peek() !== undefined && hasDrafts();
    if (hasUnsaved() || open) event.preventDefault();
  });
  session.subscribe((now) => {
    if (now.kind !== "out" || now.because !== "left") return;
    typed.value = new Map();
    forgetDrafts();
    sheet.value = undefined;
    notices.value = [];
  });
}
