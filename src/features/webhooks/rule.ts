/** A rule makes an event from outside into a wish; the rules are data, in one list for each sender. */
import type { Payload } from "./payload.ts";
import type { WishDraft } from "./wish.ts";

/** What the rules may know of svc's side. */
export interface Standing {
  /** Labels that hand an issue to svc; the first is the one that `:<role>` may follow. */
  readonly labels: readonly string[];
  /** Registered branch. */
  readonly branch: string;
  /** Accounts that svc itself acts with, in lower case: what they do is not an event. */
  readonly own: ReadonlySet<string>;
}

export interface Rule {
  readonly event: string;
  /** Absent: the event has none. */
  readonly action?: readonly string[];
  /** Why this one is not meant; undefined when it is. */
  when(payload: Payload, standing: Standing): string | undefined;
  /** Undefined when the payload lacks what it needs. */
  effect(payload: Payload, standing: Standing): WishDraft | undefined;
}

export interface Happened {
  readonly event: string;
  readonly action: string | undefined;
  readonly payload: Payload;
}

/** The wish of the first rule that fits, or why there is none. */
export function wishOfEvent(
  rules: readonly Rule[],
  { event, action, payload }: Happened,
  standing: Standing,
): WishDraft | string {
  const fits = rules.filter((rule) =>
    rule.event === event &&
    (rule.action === undefined ? action === undefined : rule.action.includes(action ?? ""))
  );
  let why = rules.some((rule) => rule.event === event) ? "unknown action" : "unknown event";
  for (const rule of fits) {
    const reason = rule.when(payload, standing);
    if (reason !== undefined) {
      why = reason;
      continue;
    }
    return rule.effect(payload, standing) ?? "incomplete payload";
  }
  return why;
}

const MENTION = /(?:^|[\s(>,;:])@svc(?:[ \t:]+([a-z][a-z0-9_-]{0,39}))?(?![\w/-])/i;
/** What is quoted was said by somebody else, and code is not said to anybody. */
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;
const QUOTED = /^ {0,3}>.*$/gm;

/** Undefined when the text does not speak to svc; `role`: the word after the mention. */
export function mentionIn(text: string): { readonly role?: string } | undefined {
  const found = MENTION.exec(text.replaceAll(CODE, " ").replaceAll(QUOTED, " "));
  if (found === null) return undefined;
  return found[1] === undefined ? {} : { role: found[1].toLowerCase() };
}
