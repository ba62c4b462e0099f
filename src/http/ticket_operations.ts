/** Operations that write tickets, as data. */
import { statesOf } from "svc/core/machine.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";
import type { Z } from "svc/runtime/views/shape.ts";
import { type ApiOperation, control, fieldsAnd } from "./operation.ts";
import { ONCE } from "./request_name.ts";

/** A ticket of 1 MiB whose every character JSON writes as an escape of two. */
const TICKET_BODY_BYTES = 2 * 1024 * 1024;

const BROKEN_FILE =
  "the ticket's file is at fault, such as one of two with the same id; `remedy` mends it";

const written = (z: Z) => ({
  ticket_id: z.string(),
  state: z.enum(statesOf(ticketMachine)),
  path: z.string(),
  /** Null where nothing was different. */
  commit: z.string().nullable(),
});

const versioned = (z: Z) => ({ ...written(z), version: z.string() });

const present = (z: Z) =>
  z.strictObject({
    /** Null where it is not UTF-8. */
    text: z.string().nullable(),
    version: z.string(),
    state: z.enum(statesOf(ticketMachine)),
    path: z.string(),
  });

export const TICKET_OPERATIONS = {
  "POST /api/create-ticket": {
    ...control(
      "Writes a new ticket to the backlog, as one commit. `template` says what is not given; `acceptance` " +
        "has a line for each thing that must hold, `depends_on` ids with blanks or commas between. Asked " +
        "again under the same `request`, it is written once (`existed`).",
      (z) => ({ ...written(z), existed: z.boolean() }),
    ),
    body: fieldsAnd(
      ["repo_id", "title"],
      ["template", "type", "priority", "role", "context", "acceptance", "depends_on", ONCE],
      TICKET_BODY_BYTES,
    ),
    conflict:
      "its repo takes no work now, or its `request` named another act, or its template's file is broken",
  },
  "POST /api/edit-ticket": {
    ...control(
      "Changes the fields that are given, or puts `text` in place of the whole file, as one commit. " +
        "`version` is that of the text that was read (`GET /api/ticket`): where the file is another one by " +
        "now, nothing is written, and a 409 has `present` with the `text`, `version` and `state` of today. " +
        "`job_id` runs on the ticket now: it goes on by the text that it began with.",
      (z) => ({
        ...versioned(z),
        changes: z.array(z.string()),
        job_id: z.string().nullable(),
      }),
    ),
    body: fieldsAnd(
      ["repo_id", "ticket_id", "version"],
      ["text", "title", "type", "priority", "role", "acceptance", "depends_on"],
      TICKET_BODY_BYTES,
    ),
    missing: "no such ticket",
    conflict: "the ticket is another one than was read; `present` is what it is now. Without it: " +
      BROKEN_FILE,
    conflictAnswer: (z) =>
      z.strictObject({
        ok: z.literal(false),
        error: z.string(),
        remedy: z.string().exactOptional(),
        present: present(z).exactOptional(),
      }),
  },
  "POST /api/move-ticket": {
    ...control(
      "Moves a ticket to another state, as one commit. To `blocked`: `owner` is to do `action`. " +
        'From `blocked`: `force` is "yes", which says that this has happened.',
      versioned,
    ),
    body: fieldsAnd(
      ["repo_id", "ticket_id", "state"],
      ["reason", "owner", "action", "force"],
    ),
    missing: "no such ticket",
    conflict: BROKEN_FILE,
  },
} as const satisfies Record<`POST /api/${string}`, ApiOperation>;
