/** Handlers of the operations that write tickets; the gate has already checked who calls. */
import { Failure } from "svc/core/failure.ts";
import { statesOf } from "svc/core/machine.ts";
import { type SetFields, TicketChanged } from "svc/features/tickets/edit_ticket.ts";
import type { PersonDraft } from "svc/features/tickets/person_draft.ts";
import { TicketFault } from "svc/features/tickets/ticket_fault.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";
import { PRIORITIES, TICKET_TYPES } from "svc/features/tickets/ticket_names.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import type { WrittenTicket } from "svc/runtime/service/ticket_asks.ts";
import { mutation, type MutationPorts, RefusedWith } from "./mutation.ts";
import { requestIn } from "./request_name.ts";
import type { RouteCall, RouteHandler } from "./route.ts";
import type { TICKET_OPERATIONS } from "./ticket_operations.ts";

type Fields = RouteCall["fields"];

/** @throws Failure `usage` for another word */
function oneOf<Word extends string>(
  name: string,
  words: readonly Word[],
  given: string | undefined,
): Word | undefined {
  const found = words.find((word) => word === given);
  if (given === undefined || found !== undefined) return found;
  throw new Failure("usage", `"${name}" takes one of ${words.join(", ")}`);
}

/** What was left out stays out; an empty list is one. */
function setFields({ title, role, type, priority, acceptance, depends_on }: Fields): SetFields {
  return {
    ...(title !== undefined && { title }),
    ...(role !== undefined && { role }),
    ...(type !== undefined && { type: oneOf("type", TICKET_TYPES, type)! }),
    ...(priority !== undefined && { priority: oneOf("priority", PRIORITIES, priority)! }),
    ...(acceptance !== undefined && { acceptance: acceptance.split("\n") }),
    ...(depends_on !== undefined && { depends_on: idsIn(depends_on) }),
  };
}

const idsIn = (text: string) => text.split(/[\s,]+/).filter((id) => id !== "").map(ticketId);

const written = ({ ticket: { id, state, path }, commit }: WrittenTicket) => ({
  ...{ ticket_id: id, state, path, commit: commit ?? null },
});

/** An empty one counts as left out. */
const given = (text: string | undefined) => text === "" ? undefined : text;

function draftOf({ template, context, ...fields }: Fields): PersonDraft {
  const filled = Object.entries(fields).filter(([, text]) => text !== "");
  return {
    ...setFields(Object.fromEntries(filled)),
    ...(given(template) !== undefined && { template }),
    ...(given(context) !== undefined && { context }),
  };
}

function editOf({ version, text, ...fields }: Fields) {
  const set = setFields(fields);
  if (text === undefined) return { version: version!, fields: set };
  if (Object.keys(set).length === 0) return { version: version!, text };
  throw new Failure(
    "usage",
    `Cannot edit a ticket: "text" is the whole file, and fields are given`,
  );
}

function orderOf({ state, reason, owner, action, force }: Fields) {
  const unblock = given(owner) === undefined && given(action) === undefined
    ? {}
    : { unblock: { owner: owner ?? "", action: action ?? "" } };
  return {
    to: oneOf("state", statesOf(ticketMachine), state)!,
    force: oneOf("force", ["yes", "no"], given(force)) === "yes",
    ...(given(reason) !== undefined && { reason: reason! }),
    ...unblock,
  };
}

/** 409 for what somebody must mend in the repo first; with the present text, where a page can show both. */
async function orConflict<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof TicketFault) {
      throw new RefusedWith(409, thrown.message, { remedy: thrown.remedy });
    }
    if (!(thrown instanceof TicketChanged)) throw thrown;
    const { text, version, message, present: { ticket: { state, path } } } = thrown;
    throw new RefusedWith(409, message, { present: { text: text ?? null, version, state, path } });
  }
}

export interface TicketRoutePorts extends MutationPorts {
  readonly service: MutationPorts["service"] & Pick<Service, "tickets">;
}

export function ticketRoutes(ports: TicketRoutePorts) {
  const { tickets } = ports.service;
  return {
    "POST /api/create-ticket": mutation(ports, "create the ticket", async ({ fields }) => {
      const { repo_id, request: _request, ...draft } = fields;
      const asked = [draftOf(draft), requestIn(fields)] as const;
      const made = await orConflict(() => tickets.create(repo_id!, ...asked));
      return { ...written(made), existed: made.existed };
    }, { not_found: 400 }),
    "POST /api/edit-ticket": mutation(ports, "edit the ticket", async ({ fields }) => {
      const { repo_id, ticket_id, ...edit } = fields;
      const edited = await orConflict(() => tickets.edit(repo_id!, ticket_id!, editOf(edit)));
      const { version, changes, job = null } = edited;
      return { ...written(edited), version, changes, job_id: job };
    }),
    "POST /api/move-ticket": mutation(ports, "move the ticket", async ({ fields }) => {
      const { repo_id, ticket_id, ...order } = fields;
      const asked = orderOf(order);
      const moved = await orConflict(() => tickets.move(repo_id!, ticket_id!, asked));
      return { ...written(moved), version: moved.version };
    }),
  } as const satisfies Record<keyof typeof TICKET_OPERATIONS, RouteHandler>;
}
