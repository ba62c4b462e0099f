/** The last answers of the service by address: shown at once, and fetched again when an event comes. */
import { type Signal, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { GivenUp, read } from "./api.ts";
import { serverNow } from "./clock.ts";
import { onEvent, onReturn } from "./events.ts";
import { loggedIn } from "./session.ts";

interface Readable<T> {
  readonly value: T | undefined;
}

export interface Resource<T> {
  readonly data: Readable<T>;
  /** When `data` came, by the server's clock, epoch ms. */
  readonly at: Readable<number>;
  readonly fault: Readable<string>;
}

interface CachedResource {
  readonly data: Signal<unknown>;
  readonly at: Signal<number | undefined>;
  readonly fault: Signal<string | undefined>;
  open: boolean;
  users: number;
  asking: boolean;
  again: boolean;
  soon: ReturnType<typeof setTimeout> | undefined;
}

/** Events come in bursts: one request after the burst is enough, and at most one a second. */
const CALM_MS = 40;
const LEAST_MS = 1_000;
/** For changes without an event, such as a schedule that moved. */
const REFRESH_MS = 30_000;
const KEPT = 40;

const entries = new Map<string, CachedResource>();

function entryOf(url: string): CachedResource {
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

async function ask(url: string, entry: CachedResource): Promise<void> {
  if (url === "") return; // what to ask for is not chosen yet
  if (entry.asking) {
    entry.again = true;
    return;
  }
  entry.asking = true;
  try {
    const data = await read(url);
    entry.data.value = data;
    entry.at.value = serverNow();
    entry.fault.value = undefined;
  } catch (thrown) {
    if (!(thrown instanceof GivenUp)) entry.fault.value = (thrown as Error).message;
  }
  entry.asking = false;
  if (!entry.again) return;
  entry.again = false;
  askSoon(url, entry);
}

function askSoon(url: string, entry: CachedResource): void {
  if (entry.soon !== undefined) return;
  // Less than nothing where the clock was set back.
  const since = Math.max(0, serverNow() - (entry.at.peek() ?? 0));
  entry.soon = setTimeout(() => {
    entry.soon = undefined;
    if (entry.users > 0 && (entry.open || loggedIn.peek())) void ask(url, entry);
  }, Math.max(CALM_MS, LEAST_MS - since));
}

export function refresh(): void {
  for (const [url, entry] of entries) if (entry.users > 0) askSoon(url, entry);
}

/** Forgets everything: the next session shows nothing of this one. */
function forget(): void {
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

/** @param repo its id; "" until one is chosen */
export const useRoles = (repo: string): Resource<string[]> =>
  useResource<string[]>(repo === "" ? "" : `/api/repo-roles?repo_id=${encodeURIComponent(repo)}`);

/** As `useResource`, but while another address is asked for the last answer stays. */
export function useLatest<T>(url: string): Resource<T> & { readonly pending: boolean } {
  const { data, at, fault } = useResource<T>(url);
  const kept = useRef<{ readonly value: T; readonly at: number | undefined }>(undefined);
  if (data.value !== undefined) kept.current = { value: data.value, at: at.value };
  return {
    data: { value: kept.current?.value },
    at: { value: kept.current?.at },
    fault,
    pending: data.value === undefined && fault.value === undefined,
  };
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
    // Open resources answer without a session too, and tell more with one.
    for (const [url, entry] of entries) {
      if (entry.users > 0 && (yes || entry.open)) void ask(url, entry);
    }
  });
}
