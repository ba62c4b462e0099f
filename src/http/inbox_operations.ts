/** The operations by which a person settles what needs them, as data. */
import type { Z } from "svc/runtime/views/shape.ts";
import { type ApiOperation, control, fieldsAnd } from "./operation.ts";
import { ONCE } from "./request_name.ts";

const acted = (z: Z) => ({
  /** Null for a look, which decides nothing. */
  decision_id: z.string().nullable(),
  existed: z.boolean(),
  said: z.string(),
  undo: z.string().nullable(),
});

/** Somebody was first, or what was seen is another thing by now. */
const SETTLED = { conflict: "it is settled already, or is another thing than was seen" } as const;

const TICKET = { missing: "no such ticket", ...SETTLED } as const;

const NEXT = fieldsAnd(["repo_id", "ticket_id", "seen"], ["note", "role", "model", ONCE]);

export const INBOX_OPERATIONS = {
  "POST /api/unblock-ticket": {
    ...control(
      "Puts a blocked ticket back into the backlog, with a note for its next role. `seen` is its `updated` " +
        "as it was seen. With a role or a model its next job begins at once.",
      acted,
    ),
    body: NEXT,
    ...TICKET,
  },
  "POST /api/assign-ticket": {
    ...control(
      "Begins the next job of a ticket, with another role or model if one is named.",
      acted,
    ),
    body: NEXT,
    ...TICKET,
  },
  "POST /api/approve-ticket": {
    ...control(
      "Approves the commit that was seen; its merge follows by the manifest's policy. Refused (409) where the " +
        "branch ends at another commit, or where a secret, a protected file or an unknown author is in it.",
      acted,
    ),
    body: fieldsAnd(["repo_id", "ticket_id", "commit"], ["note", ONCE]),
    ...TICKET,
  },
  "POST /api/send-back-ticket": {
    ...control(
      "Sends the commit that was seen back; the note is in its next role's prompt.",
      acted,
    ),
    body: fieldsAnd(["repo_id", "ticket_id", "commit", "note"], [ONCE]),
    ...TICKET,
  },
  "POST /api/resume-role": {
    ...control("Lets the jobs of a role go on that is held back.", acted),
    body: fieldsAnd(["repo_id", "role"], [ONCE]),
    ...SETTLED,
  },
  "POST /api/resume-model": {
    ...control("Lets the jobs of a model go on that is held back.", acted),
    body: fieldsAnd(["repo_id", "lane"], [ONCE]),
    ...SETTLED,
  },
  "POST /api/waive-checks": {
    ...control("Lets approved work of the repo in although no check looks at it.", acted),
    body: fieldsAnd(["repo_id"], ["note", ONCE]),
    ...SETTLED,
  },
  "POST /api/recheck": {
    ...control("Looks at once whether what merges and moves of the repo wait for has come.", acted),
    body: fieldsAnd(["repo_id"], [ONCE]),
    ...SETTLED,
  },
  "POST /api/undo-decision": {
    ...control("Takes back what a person decided, while nothing has followed it.", acted),
    body: fieldsAnd(["decision_id"], [ONCE]),
    missing: "no such decision",
    ...SETTLED,
  },
} as const satisfies Record<`POST /api/${string}`, ApiOperation>;
