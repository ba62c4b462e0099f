/** Keyboard shortcuts: one table for the listener and the help sheet. */
import { keysOn, nextTheme } from "./prefs.ts";
import { go } from "./place.ts";
import { loggedIn } from "./session.ts";
import { openControl, sheet } from "./sheets.ts";

interface Shortcut {
  readonly keys: readonly string[];
  readonly about: string;
  run(): void;
}

/** Set by the frame, which knows whether claims are paused. */
export const pausedNow = { value: false };

const page = (key: string, path: string, name: string): Shortcut => ({
  keys: ["g", key],
  about: name,
  run: () => go(path),
});

/** Moves the focus through the items of the page, which are marked `data-item`. */
function step(by: number): void {
  const items = [...document.querySelectorAll<HTMLElement>("[data-item]")];
  const at = items.indexOf(document.activeElement?.closest<HTMLElement>("[data-item]")!);
  const next = items[Math.min(items.length - 1, Math.max(0, at + by))];
  if (next === undefined) return;
  const inner = next.matches("a,button,summary")
    ? next
    : next.querySelector<HTMLElement>("a,summary,button");
  (inner ?? next).focus();
}

const NTH = ["First", "Second", "Third", "Fourth"] as const;

/** Presses the nth button of the card that has the focus. */
function press(nth: number): void {
  const card = document.activeElement?.closest<HTMLElement>("[data-item]");
  card?.querySelectorAll<HTMLElement>("[data-act]")[nth - 1]?.click();
}

/** Presses what is marked with that key: of the item that has the focus, else of the page. */
export function pressMarked(key: string): void {
  const marked = `[data-key="${key}"]`;
  const item = document.activeElement?.closest("[data-item]");
  (item?.querySelector<HTMLElement>(marked) ??
    document.querySelector<HTMLElement>(`.page-head ${marked}`))?.click();
}

export const SHORTCUTS: Readonly<Record<string, readonly Shortcut[]>> = {
  "Go to": [
    page("p", "/pipeline", "Pipeline"),
    page("k", "/tickets", "Tickets"),
    page("o", "/orchestration", "Orchestration"),
    page("r", "/roles", "Roles"),
    page("t", "/throughput", "Throughput"),
    page("d", "/debug", "Debug"),
    page("e", "/evolution", "Evolution"),
    { keys: ["g", "b"], about: "Back", run: () => history.back() },
  ],
  "On a page": [
    { keys: ["j"], about: "Next item", run: () => step(1) },
    { keys: ["k"], about: "Previous item", run: () => step(-1) },
    ...[1, 2, 3, 4].map((nth) => ({
      keys: [String(nth)],
      about: `${NTH[nth - 1]} button of the card`,
      run: () => press(nth),
    })),
    {
      keys: ["/"],
      about: "Filter",
      run: () => document.querySelector<HTMLInputElement>("input[type=search]")?.focus(),
    },
    {
      keys: ["n"],
      about: "New ticket",
      run: () => control(() => sheet.value = { kind: "new-ticket" }),
    },
    { keys: ["e"], about: "Edit the ticket", run: () => pressMarked("e") },
    { keys: ["m"], about: "Move the ticket", run: () => pressMarked("m") },
    { keys: ["t"], about: "Light, dark or as the system", run: nextTheme },
    { keys: ["?"], about: "This sheet", run: () => sheet.value = { kind: "help" } },
  ],
  "Anywhere": [
    { keys: ["Ctrl", "K"], about: "Find anything", run: find },
  ],
  "Controls": [
    {
      keys: ["c"],
      about: "All controls",
      run: () => control(() => sheet.value = { kind: "controls" }),
    },
    {
      keys: ["p"],
      about: "Pause or resume",
      run: () => control(() => openControl(pausedNow.value ? "resume" : "pause")),
    },
    { keys: ["r"], about: "Run a role", run: () => control(() => openControl("run-role")) },
    { keys: ["s"], about: "Scan a repo", run: () => control(() => openControl("scan")) },
  ],
};

function control(open: () => unknown): void {
  if (loggedIn.peek()) open();
}

const ALL = Object.values(SHORTCUTS).flat();
const SEQUENCE_MS = 1_500;
let before = "";
let beforeAt = 0;

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input,textarea,select,[contenteditable]");
}

function find(): void {
  if (loggedIn.peek() && sheet.peek() === undefined) sheet.value = { kind: "palette" };
}

function leaveField(event: KeyboardEvent): void {
  const field = event.target as HTMLElement;
  // Chromium would empty it and tell nobody, so that the list stays filtered by words that are gone.
  if (field.matches("[type=search]") && field.closest("dialog") === null) event.preventDefault();
  field.blur();
}

function onKey(event: KeyboardEvent): void {
  const chord = event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey;
  if (chord && event.key.toLowerCase() === "k" && keysOn.peek() && loggedIn.peek()) {
    event.preventDefault(); // else the browser searches the web
    return find();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "Escape" && typing(event.target)) return leaveField(event);
  if (!keysOn.peek() || typing(event.target) || sheet.peek() !== undefined) return;
  const fresh = event.timeStamp - beforeAt < SEQUENCE_MS;
  const pressed = fresh && before !== "" ? [before, event.key] : [event.key];
  const found = ALL.find(({ keys }) => keys.join(" ") === pressed.join(" "));
  before = found === undefined && event.key === "g" ? "g" : "";
  beforeAt = event.timeStamp;
  if (found === undefined) return;
  event.preventDefault();
  found.run();
}

export function startShortcuts(): void {
  addEventListener("keydown", onKey);
}
