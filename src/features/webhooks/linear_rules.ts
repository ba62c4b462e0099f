/** What events of Linear cause (linear.app/developers/webhooks). */
import type { Payload } from "./payload.ts";
import { mentionIn, type RuleFacts, type WebhookRule } from "./rule.ts";
import type { Asker, OutsideIssue, RequestDraft } from "./request.ts";

/** Linear counts from 1, urgent, to 4, low; 0 is none. */
const PRIORITY = { 1: "p0", 2: "p1", 3: "p2", 4: "p3" } as const;

/** Team of an issue or of its comment, such as `ENG`. */
export function teamOf(p: Payload): string | undefined {
  const key = p.name("data.team.key") ?? p.name("data.issue.team.key");
  const identifier = p.name("data.identifier") ?? p.name("data.issue.identifier");
  return key ?? /^([A-Z][A-Z0-9]*)-\d+$/.exec(identifier ?? "")?.[1];
}

function issueAt(p: Payload, path: "data" | "data.issue"): OutsideIssue | undefined {
  const id = p.name(`${path}.id`);
  if (id === undefined) return undefined;
  const labels = p.names(`${path}.labels`, "name");
  const rank = p.int(`${path}.priority`) as keyof typeof PRIORITY | undefined;
  return {
    title: p.text(`${path}.title`) || (p.name(`${path}.identifier`) ?? "Issue"),
    body: p.text(`${path}.description`),
    url: p.name(`${path}.url`) ?? p.name("url") ?? "",
    by: p.name("actor.name") ?? "somebody",
    labels,
    fingerprint: `linear:${id}`,
    type: labels.some((label) => /^bug$/i.test(label)) ? "bug" : "feature",
    priority: (rank && PRIORITY[rank]) ?? "p2",
    at: p.name("data.updatedAt"),
    askers: actor(p),
  };
}

/** An issue that came by mail or from another program has no user as its actor. */
function actor(p: Payload): Asker[] {
  const login = p.name("actor.type") === "user" ? p.name("actor.email") : undefined;
  return login === undefined ? [] : [{ login }];
}

function ticketDraft(p: Payload): RequestDraft | undefined {
  const item = issueAt(p, "data");
  if (item === undefined) return undefined;
  const key = `ticket:${item.fingerprint}:${p.name("data.updatedAt")}`;
  return { kind: "ticket", item, key };
}

function labelIds(p: Payload, { labels }: RuleFacts): string[] {
  const list = p.value("data.labels");
  if (!Array.isArray(list)) return [];
  return p.names("data.labels", "id")
    .filter((_, at) => labels.includes(p.names("data.labels", "name")[at]?.toLowerCase() ?? ""));
}

/** States in which nobody works on an issue any more, by the types of `WorkflowState` (@linear/sdk 98). */
const ENDS: Readonly<Record<string, string>> = {
  completed: "completed in Linear",
  canceled: "cancelled in Linear",
  duplicate: "closed in Linear as a duplicate",
};

const endOf = (p: Payload) => ENDS[p.name("data.state.type") ?? ""];

const noTicket = (p: Payload, facts: RuleFacts) =>
  labelIds(p, facts).length === 0
    ? "no label of svc"
    : endOf(p) === undefined
    ? undefined
    : "an issue that has ended";

/** A label or a state that the issue had before is ignored. */
function noNews(p: Payload, facts: RuleFacts): string | undefined {
  const none = noTicket(p, facts);
  if (none !== undefined) return none;
  const ids = labelIds(p, facts);
  const before = p.value("updatedFrom.labelIds");
  if (Array.isArray(before) && !ids.some((id) => before.includes(id))) return undefined;
  const started = p.name("data.state.type") === "started";
  if (started && p.name("updatedFrom.stateId") !== undefined) return undefined;
  return "neither its label nor its start is new";
}

function cancelDraft(told: (p: Payload) => string | undefined) {
  return (p: Payload): RequestDraft | undefined => {
    const id = p.name("data.id");
    const why = told(p);
    if (id === undefined || why === undefined) return undefined;
    const fingerprint = `linear:${id}`;
    const key = `cancel:${fingerprint}:${p.value("webhookTimestamp")}`;
    return { kind: "cancel", item: { fingerprint, why, at: p.name("data.updatedAt") }, key };
  };
}

export const LINEAR_RULES: readonly WebhookRule[] = [
  {
    event: "Issue",
    action: ["update"],
    when: (p) =>
      endOf(p) !== undefined && p.name("updatedFrom.stateId") !== undefined
        ? undefined
        : "it did not end",
    effect: cancelDraft(endOf),
  },
  {
    event: "Issue",
    action: ["remove"],
    when: () => undefined,
    effect: cancelDraft(() => "removed in Linear"),
  },
  {
    event: "Issue",
    action: ["create"],
    when: noTicket,
    effect: ticketDraft,
  },
  { event: "Issue", action: ["update"], when: noNews, effect: ticketDraft },
  {
    event: "Comment",
    action: ["create"],
    when(p) {
      if (mentionIn(p.text("data.body")) === undefined) return "no mention";
      // A comment from outside the workspace, such as by mail, has no user.
      return p.name("data.userId") ?? p.name("data.user.id") ? undefined : "its author is no user";
    },
    effect(p) {
      const issue = issueAt(p, "data.issue");
      if (issue === undefined) return undefined;
      const text = p.text("data.body");
      const item = {
        by: p.name("data.user.name") ?? p.name("actor.name") ?? "somebody",
        url: p.name("url") ?? "",
        text,
        about: { issue },
        ...mentionIn(text),
      };
      return { kind: "run", item, key: `run:comment:${p.name("data.id")}` };
    },
  },
];
