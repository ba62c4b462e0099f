/** Requests: what an event from outside asks for, kept from the answer to it until it is done. */
import { integer, integerOrNull, rowId, text, textOrNull } from "svc/store/columns.ts";
import type { Source } from "./delivery_table.ts";
import type { RequestKind } from "./request.ts";

type RequestState = "pending" | "done" | "dropped";

export const table = {
  name: "wishes",
  columns: {
    /** Grows; settled in this order. */
    id: rowId(),
    repo_id: text(),
    source: text<Source>(),
    /** Name of the first event that asked for it, as in the manifest: `github.issues.labeled`. */
    event: text(),
    kind: text<RequestKind>(),
    /** The same for two events that mean one thing. */
    unique_key: text(),
    /** 1: events of this key join it while it is pending. */
    batch: integer(),
    /** JSON array of what its kind takes (`request.ts`); all of it is a stranger's text. */
    items: text(),
    /** Epoch ms, as all times here. */
    due_at: integer(),
    state: text<RequestState>(),
    /** Why it is still pending, for people. */
    waits_for: textOrNull(),
    /** What came of it, or why nothing did. */
    outcome: textOrNull(),
    /** Ticket that it was about, once that is known. */
    ticket_id: textOrNull(),
    created_at: integer(),
    settled_at: integerOrNull(),
  },
};
