/** Short messages about the outcome of controls. */
import { signal } from "@preact/signals";

export interface Notice {
  readonly id: number;
  readonly tone: "good" | "bad";
  readonly text: string;
  readonly link?: { readonly href: string; readonly text: string };
  /** Id of the decision that its button takes back. */
  readonly undo?: string;
}

/** Long enough to read twice; failures stay until they are dismissed. */
const SHOWN_MS = 8_000;
const AT_ONCE = 4;

export const notices = signal<readonly Notice[]>([]);
let count = 0;

export function dismiss(id: number): void {
  notices.value = notices.peek().filter((notice) => notice.id !== id);
}

export function notify(notice: Omit<Notice, "id">): void {
  const id = ++count;
  notices.value = [...notices.peek(), { ...notice, id }].slice(-AT_ONCE);
  if (notice.tone === "good") setTimeout(() => dismiss(id), SHOWN_MS);
}
