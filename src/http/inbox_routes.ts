/** Carries out what a person decides about what needs them; the gate has already checked who calls. */
import type { InboxService, PersonAct } from "svc/runtime/inbox/person_act.ts";
import type { INBOX_OPERATIONS } from "./inbox_operations.ts";
import { mutation, type MutationPorts } from "./mutation.ts";
import { requestIn } from "./request_name.ts";
import type { RouteHandler } from "./route.ts";

export interface InboxRoutePorts extends MutationPorts {
  readonly service: MutationPorts["service"] & InboxService;
}

type Fields = Readonly<Record<string, string | undefined>>;

/** Somebody was first, or what was seen is another thing by now. */
const SETTLED_BEFORE = { conflict: 409 } as const;

/** For acts upon a repo alone: one that is unknown is a bad value, not a missing thing (spec section 7). */
const OF_REPO = { ...SETTLED_BEFORE, not_found: 400 } as const;

/** A field that is left out may be empty too. */
const filled = (text: string | undefined) => text === "" ? undefined : text;

const nextJob = (fields: Fields) => ({
  ...{ repo: fields.repo_id!, ticket: fields.ticket_id!, seen: fields.seen },
  ...{ note: filled(fields.note), role: filled(fields.role), model: filled(fields.model) },
});

export function inboxRoutes(ports: InboxRoutePorts) {
  const route = (
    doing: string,
    act: (fields: Fields) => PersonAct,
    statuses: typeof SETTLED_BEFORE | typeof OF_REPO = SETTLED_BEFORE,
  ): RouteHandler =>
    mutation(ports, doing, async ({ fields }) => {
      const request = requestIn(fields);
      const { decision, existed, said, undo } = await ports.service.decide({
        ...act(fields),
        ...(request !== undefined && { request }),
      });
      return { decision_id: decision ?? null, existed, said, undo: undo ?? null };
    }, statuses);
  return {
    "POST /api/unblock-ticket": route("unblock the ticket", (fields) => ({
      ...{ act: "unblock", ...nextJob(fields) },
    })),
    "POST /api/assign-ticket": route("begin its next job", (fields) => ({
      ...{ act: "assign", ...nextJob(fields) },
    })),
    "POST /api/approve-ticket": route("approve the work", (fields) => ({
      ...{ act: "approve", repo: fields.repo_id!, ticket: fields.ticket_id! },
      ...{ commit: fields.commit!, note: filled(fields.note) },
    })),
    "POST /api/send-back-ticket": route("send the work back", (fields) => ({
      ...{ act: "send-back", repo: fields.repo_id!, ticket: fields.ticket_id! },
      ...{ commit: fields.commit!, note: fields.note! },
    })),
    "POST /api/resume-role": route("let the role go on", ({ repo_id, role }) => ({
      ...{ act: "resume-role", repo: repo_id!, role: role! },
    }), OF_REPO),
    "POST /api/resume-model": route("let the model go on", ({ repo_id, lane }) => ({
      ...{ act: "resume-model", repo: repo_id!, lane: lane! },
    }), OF_REPO),
    "POST /api/waive-checks": route("let unchecked work in", ({ repo_id, note }) => ({
      ...{ act: "waive-checks", repo: repo_id!, note: filled(note) },
    }), OF_REPO),
    "POST /api/recheck": route("look again", ({ repo_id }) => ({
      ...{ act: "recheck", repo: repo_id! },
    }), OF_REPO),
    "POST /api/undo-decision": route("undo the decision", ({ decision_id }) => ({
      ...{ act: "undo", decision: decision_id! },
    })),
  } as const satisfies Record<keyof typeof INBOX_OPERATIONS, RouteHandler>;
}
