/** Rules that turn an event from outside into a request: data, one list for each sender. */
import type { Payload } from "./payload.ts";
import type { RequestDraft } from "./request.ts";

export interface RuleFacts {
  /** Labels that hand an issue to svc, in lower case: to GitHub and Linear "Svc" and "svc" are one label. */
  readonly labels: readonly string[];
  readonly branch: string;
  /** svc's own accounts in lower case; their events are ignored. */
  readonly own: ReadonlySet<string>;
}

export interface WebhookRule {
  readonly event: string;
  readonly action?: readonly string[];
  /** Why the rule does not apply; undefined when it does. */
  when(payload: Payload, facts: RuleFacts): string | undefined;
  effect(payload: Payload, facts: RuleFacts): RequestDraft | undefined;
}

interface OutsideEvent {
  readonly event: string;
  readonly action: string | undefined;
  readonly payload: Payload;
}

/** Applies the first matching rule; a string says why there is no request. */
export function requestOfEvent(
  rules: readonly WebhookRule[],
  { event, action, payload }: OutsideEvent,
  facts: RuleFacts,
): RequestDraft | string {
  const fits = rules.filter((rule) =>
    rule.event === event &&
    (rule.action === undefined ? action === undefined : rule.action.includes(action ?? ""))
  );
  let why = rules.some((rule) => rule.event === event) ? "unknown action" : "unknown event";
  for (const rule of fits) {
    const reason = rule.when(payload, facts);
    if (reason !== undefined) {
      why = reason;
      continue;
    }
    return rule.effect(payload, facts) ?? "incomplete payload";
  }
  return why;
}

const MENTION = /(?:^|[\s(>,;:])@svc(?:[ \t:]+([a-z][a-z0-9_-]{0,39}))?(?![\w/-])/i;
/** Mentions inside quotes and code are ignored. */
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;
const QUOTED = /^ {0,3}>.*$/gm;

/** Undefined when the text does not mention svc; `role` is the word after the mention. */
export function mentionIn(text: string): { readonly role?: string } | undefined {
  const found = MENTION.exec(text.replaceAll(CODE, " ").replaceAll(QUOTED, " "));
  if (found === null) return undefined;
  return found[1] === undefined ? {} : { role: found[1].toLowerCase() };
}
