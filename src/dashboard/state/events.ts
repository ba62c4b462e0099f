/** The stream of events: what is told at once, and whether the connection lives. */
import { signal } from "@preact/signals";
import { setClockBy } from "./clock.ts";
import { ended, loggedIn } from "./session.ts";
import { sseParser } from "./sse.ts";

export interface Told {
  readonly type: string;
  /** Of its JSON; {} when it holds none. */
  readonly data: Readonly<Record<string, unknown>>;
}

export type Link =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** `since`: the last moment at which what is shown was known to be true; epoch ms. */
  | {
    readonly state: "lost";
    readonly since: number;
    readonly retryAt: number;
    /** Where more is known than that nothing came. */
    readonly why: string | undefined;
  };

/** The service sends a comment each 15 s; three of them missed is a dead connection. */
const SILENCE_MS = 45_000;
/** A page that nobody sees gives its stream back: a session has only a few. */
const HIDDEN_MS = 30_000;
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

export const link = signal<Link>({ state: "connecting" });

const listeners = new Set<(told: Told) => void>();
const returned = new Set<() => void>();
let lastId = "";
let lastHeard = Date.now();
let failures = 0;
let current: AbortController | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;

/** @returns ends it */
export function onEvent(listener: (told: Told) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Called when the connection is there again: what was shown meanwhile may have changed. */
export function onReturn(listener: () => void): () => void {
  returned.add(listener);
  return () => returned.delete(listener);
}

function parsed(data: string): Told | undefined {
  try {
    const event = JSON.parse(data) as { type: string; data: string };
    return { type: event.type, data: JSON.parse(event.data) };
  } catch {
    return; // one event that cannot be read must not end the stream
  }
}

/** Reads until the stream ends. @throws when it broke, was refused or fell silent */
async function follow(abort: AbortController): Promise<void> {
  let silence: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    lastHeard = Date.now();
    clearTimeout(silence);
    silence = setTimeout(() => abort.abort(), SILENCE_MS);
  };
  heard();
  try {
    const answer = await fetch("/api/events", {
      headers: { accept: "text/event-stream", ...(lastId !== "" && { "last-event-id": lastId }) },
      cache: "no-store",
      signal: abort.signal,
    });
    if (answer.status === 401) ended();
    if (answer.status === 429) throw new Error("Too many pages of this dashboard are open");
    if (!answer.ok || answer.body === null) return;
    setClockBy(answer.headers.get("date"));
    const back = failures > 0;
    failures = 0;
    link.value = { state: "live" };
    if (back) { for (const listener of returned) listener(); }
    const take = sseParser(({ id, data }) => {
      if (id !== "") lastId = id;
      const told = parsed(data);
      if (told !== undefined) { for (const listener of listeners) listener(told); }
    });
    for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
      heard();
      take(text);
    }
  } finally {
    clearTimeout(silence);
  }
}

async function connect(): Promise<void> {
  clearTimeout(retry);
  retry = undefined;
  if (!loggedIn.peek() || current !== undefined) return;
  const mine = current = new AbortController();
  let why: string | undefined;
  try {
    await follow(mine);
  } catch (thrown) {
    // What a browser says of a network that is gone helps nobody.
    if (thrown instanceof Error && /^Too many/.test(thrown.message)) why = thrown.message;
  }
  if (current !== mine) return; // closed on purpose
  current = undefined;
  if (!loggedIn.peek()) return;
  const wait = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]!;
  failures++;
  const since = link.peek().state === "lost" ? (link.peek() as { since: number }).since : lastHeard;
  link.value = { state: "lost", since, retryAt: Date.now() + wait, why };
  retry = setTimeout(connect, wait);
}

/** At once, whatever the wait was. */
export function reconnect(): void {
  if (link.peek().state !== "live") void connect();
}

function close(): void {
  clearTimeout(retry);
  const open = current;
  current = undefined;
  open?.abort();
  link.value = { state: "connecting" };
}

/** Follows events for as long as there is a session. */
export function startEvents(): void {
  loggedIn.subscribe((yes) => yes ? void connect() : close());
  addEventListener("online", reconnect);
  addEventListener("offline", () => current?.abort());
  let hidden: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hidden);
    if (document.visibilityState === "visible") reconnect();
    else hidden = setTimeout(close, HIDDEN_MS);
  });
  // A page kept for "back" must not hold one of the session's few streams.
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && void connect());
}
