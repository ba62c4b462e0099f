/** The stream of events, and the state of the connection to the service. */
import { signal } from "@preact/signals";
import { giveUpReads, seen } from "./api.ts";
import { serverNow, setClockBy } from "./clock.ts";
import { ended, loggedIn } from "./session.ts";
import { notifyState } from "./notify.ts";
import { sseParser } from "./sse.ts";

interface StreamEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

type ServiceConnection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** `since`: when the page was last known to be up to date; by the server's clock, epoch ms. */
  | {
    readonly state: "lost";
    readonly since: number;
    readonly retryAt: number;
    readonly why: string | undefined;
  };

/** The service sends a comment every 15 s; after three missing ones the connection is dead. */
const SILENCE_MS = 45_000;
/** A hidden page closes its stream after this time, since a session has only a few. */
const HIDDEN_MS = 30_000;
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

export const connection = signal<ServiceConnection>({ state: "connecting" });

const listeners = new Set<(event: StreamEvent) => void>();
const returned = new Set<() => void>();
let lastId = "";
let lastHeard = serverNow();
let failures = 0;
let current: AbortController | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;

export function onEvent(listener: (event: StreamEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls `listener` when the connection is back: what is shown may have changed meanwhile. */
export function onReturn(listener: () => void): () => void {
  returned.add(listener);
  return () => returned.delete(listener);
}

function parsed(data: string): StreamEvent | undefined {
  try {
    const event = seen(data) as { type: string; data: string };
    return { type: event.type, data: seen(event.data) as Readonly<Record<string, unknown>> };
  } catch {
    return; // one event that cannot be read must not end the stream
  }
}

/** Reads until the stream ends. @throws when it breaks, is refused or falls silent */
async function follow(abort: AbortController): Promise<void> {
  let silence: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    lastHeard = serverNow();
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
    connection.value = { state: "live" };
    if (back) {
      giveUpReads(); // before all are asked again
      for (const listener of returned) listener();
    }
    const take = sseParser(({ id, data }) => {
      if (id !== "") lastId = id;
      const event = parsed(data);
      if (event !== undefined) { for (const listener of listeners) listener(event); }
    });
    // WebKit's streams cannot be iterated (caniuse.com, "ReadableStream: async iterable").
    const texts = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let next = await texts.read(); !next.done; next = await texts.read()) {
      heard();
      take(next.value);
    }
  } finally {
    clearTimeout(silence);
    abort.abort(); // what is read no more would stay one of the session's few streams
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
    // A browser's own message about a lost network helps nobody.
    if (thrown instanceof Error && /^Too many/.test(thrown.message)) why = thrown.message;
  }
  if (current !== mine) return; // closed on purpose
  current = undefined;
  if (!loggedIn.peek()) return;
  const wait = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]!;
  failures++;
  const since = connection.peek().state === "lost"
    ? (connection.peek() as { since: number }).since
    : lastHeard;
  connection.value = { state: "lost", since, retryAt: serverNow() + wait, why };
  retry = setTimeout(connect, wait);
}

export function reconnect(): void {
  if (connection.peek().state !== "live") void connect();
}

function close(): void {
  clearTimeout(retry);
  const open = current;
  current = undefined;
  open?.abort();
  connection.value = { state: "connecting" };
}

/** Where the desktop is to tell, one of the hidden pages of this browser follows on, and another once that one is gone. */
async function followForDesktop(over: AbortSignal): Promise<void> {
  try {
    await navigator.locks.request("svc events", { signal: over }, () => {
      void connect();
      return new Promise((resolve) => over.addEventListener("abort", resolve));
    });
  } catch {
    // it is seen again before its turn came
  }
}

export function startEvents(): void {
  loggedIn.subscribe((yes) => yes ? void connect() : close());
  // Hidden pages that have closed theirs would take all streams of the session when a laptop wakes.
  addEventListener("online", () => document.visibilityState === "visible" && reconnect());
  addEventListener("offline", () => current?.abort());
  let hidden: ReturnType<typeof setTimeout> | undefined;
  let background = new AbortController();
  const leave = () => {
    background = new AbortController();
    const { signal } = background;
    hidden = setTimeout(() => {
      close();
      if (notifyState() === "on") void followForDesktop(signal);
    }, HIDDEN_MS);
  };
  // A link that is opened in a new tab may begin hidden, which no event tells.
  if (document.visibilityState === "hidden") leave();
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hidden);
    background.abort();
    if (document.visibilityState === "visible") reconnect();
    else leave();
  });
  // A page in the back/forward cache must not hold one of the session's few streams.
  addEventListener("pagehide", () => {
    background.abort();
    close();
  });
  addEventListener("pageshow", (event) => event.persisted && void connect());
}
