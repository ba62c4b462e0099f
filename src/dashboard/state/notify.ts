/** Notifications of the desktop for what needs a person: on where the person has asked for them, while a page is open. */
import { effect, signal } from "@preact/signals";
import type { Card } from "svc/runtime/views/card.ts";
import type { Pipeline } from "svc/runtime/views/pipeline_view.ts";
import { keepPref, keptPref } from "./prefs.ts";
import { go } from "./place.ts";

/** `none`: this browser has none, or not at this address. */
export type NotifyState = "none" | "blocked" | "off" | "on";

const wanted = signal(keptPref("notify") === "on");
const permission = signal<NotificationPermission | "none">(
  "Notification" in globalThis ? Notification.permission : "none",
);

export function notifyState(): NotifyState {
  if (permission.value === "none") return "none";
  if (permission.value === "denied") return "blocked";
  return wanted.value && permission.value === "granted" ? "on" : "off";
}

/** Asks the browser for leave only when the person has pressed the switch. */
export async function switchNotify(): Promise<void> {
  if (notifyState() === "on") {
    wanted.value = false;
    return;
  }
  if (permission.value === "default") permission.value = await Notification.requestPermission();
  wanted.value = permission.value === "granted";
}

/** More than this at once become one. */
const AT_ONCE = 3;

let seen: ReadonlySet<string> | undefined;

/** Cards that came under "Needs you" since the last look; none at the first one. Pure but for what it keeps. */
function newcomers(cards: readonly Card[]): readonly Card[] {
  const now = cards.filter(({ zone }) => zone === "needs_you");
  const before = seen;
  seen = new Set(now.map(({ key }) => key));
  return before === undefined ? [] : now.filter(({ key }) => !before.has(key));
}

export function forgetSeen(): void {
  seen = undefined;
}

/** Only a ticket's id and title: screens of others may show it, and what a role wrote stays in the page. */
function show({ title, body, tag }: Readonly<Record<"title" | "body" | "tag", string>>): void {
  try {
    const shown = new Notification(title, { body, tag: `svc ${tag}`, icon: "/assets/favicon.svg" });
    shown.onclick = () => {
      globalThis.focus();
      go("/pipeline?zone=needs_you");
      shown.close();
    };
  } catch {
    permission.value = "none"; // browsers of phones have the name and refuse to make one
  }
}

export function tell(of: Pick<Pipeline, "cards">): void {
  const fresh = newcomers(of.cards);
  if (notifyState() !== "on" || fresh.length === 0) return;
  if (fresh.length > AT_ONCE) {
    return show({ title: `svc: ${fresh.length} things need you`, body: "", tag: "several" });
  }
  for (const { key, ticket_id, title } of fresh) {
    const ticket = ticket_id !== null && key.startsWith("ticket:");
    show({
      title: ticket ? `svc: ${ticket_id} needs you` : "svc needs you",
      body: ticket ? title : "",
      tag: key,
    });
  }
}

export function startNotify(): void {
  effect(() => keepPref("notify", wanted.value ? "on" : "off"));
}
