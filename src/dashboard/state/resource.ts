/** What the service answered last, kept by address: shown at once, asked anew when an event says so. */
import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { read } from "./api.ts";
import { onEvent, onReturn } from "./events.ts";
import { loggedIn } from "./session.ts";

export interface Resource<T> {
  readonly data: Signal<T | undefined>;
  /** When `data` came; epoch ms. */
  readonly at: Signal<number | undefined>;
  /** Why it could not be asked the last time. */
  readonly fault: Signal<string | undefined>;
}

interface Entry extends Resource<unknown> {
  /** It answers those who are not logged in too. */
  open: boolean;
  users: number;
  asking: boolean;
  /** Something happened while it was asked. */
  again: boolean;
  soon: ReturnType<typeof setTimeout> | undefined;
}

/** Events come in bursts; one question after the burst is enough, and never more than one a second. */
const CALM_MS = 40;
const LEAST_MS = 1_000;
/** Ages of things without events, such as a schedule that moved. */
const REFRESH_MS = 30_000;
const KEPT = 40;

const entries = new Map<string, Entry>();

function entryOf(url: string): Entry {
  const known = entries.get(url) ?? {
    data: signal<unknown>(),
    at: signal<number | undefined>(),
    fault: signal<string | undefined>(),
    open: false,
    users: 0,
    asking: false,
    again: false,
    soon: undefined,
  };
  entries.delete(url);
  entries.set(url, known);
  for (const [other, { users }] of entries) {
    if (entries.size <= KEPT) break;
    if (users === 0) entries.delete(other);
  }
  return known;
}

async function ask(url: string, entry: Entry): Promise<void> {
  if (entry.asking) {
    entry.again = true;
    return;
  }
  entry.asking = true;
  try {
    const data = await read(url);
    entry.data.value = data;
    entry.at.value = Date.now();
    entry.fault.value = undefined;
  } catch (thrown) {
    entry.fault.value = (thrown as Error).message;
  }
  entry.asking = false;
  if (!entry.again) return;
  entry.again = false;
  askSoon(url, entry);
}

function askSoon(url: string, entry: Entry): void {
  if (entry.soon !== undefined) return;
  const since = Date.now() - (entry.at.peek() ?? 0);
  entry.soon = setTimeout(() => {
    entry.soon = undefined;
    if (entry.users > 0 && (entry.open || loggedIn.peek())) void ask(url, entry);
  }, Math.max(CALM_MS, LEAST_MS - since));
}

/** Asks all that is shown anew, such as after a control. */
export function refresh(): void {
  for (const [url, entry] of entries) if (entry.users > 0) askSoon(url, entry);
}

/** Forgets everything: nothing of one session is shown in the next. */
export function forget(): void {
  for (const [url, entry] of entries) {
    entry.data.value = undefined;
    entry.at.value = undefined;
    entry.fault.value = undefined;
    if (entry.users === 0) entries.delete(url);
  }
}

export function useResource<T>(url: string, { open = false } = {}): Resource<T> {
  const entry = entryOf(url);
  entry.open = open;
  useEffect(() => {
    entry.users++;
    if (open || loggedIn.peek()) void ask(url, entry);
    return () => {
      entry.users--;
    };
  }, [url]);
  return entry as Resource<T>;
}

export function startResources(): void {
  onEvent(refresh);
  onReturn(refresh);
  setInterval(() => document.visibilityState === "visible" && refresh(), REFRESH_MS);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") refresh();
  });
  loggedIn.subscribe((yes) => {
    if (!yes) forget();
    // What everybody may see was answered before, and answers more to whom is logged in.
    for (const [url, entry] of entries) {
      if (entry.users > 0 && (yes || entry.open)) void ask(url, entry);
    }
  });
}
