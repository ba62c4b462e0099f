/** Requests: what an event from outside asks for, kept from the answer to it until it is done. */
import { integer, integerOrNull, rowId, text, textOrNull } from "svc/store/columns.ts";
import type { WebhookSource } from "./delivery_table.ts";
import type { RequestKind } from "./request.ts";

type RequestState = "pending" | "done" | "dropped";

export const table = {
  name: "wishes",
  columns: {
    id: rowId(),
    repo_id: text(),
    source: text<WebhookSource>(),
    /** The first event that asked for it, as the manifest names it: `github.issues.labeled`. */
    event: text(),
    kind: text<RequestKind>(),
    /** The same for two events that mean one thing. */
    unique_key: text(),
    /** 1: events of this key join it while it is pending. */
    batch: integer(),
    /** JSON array of its kind's items (`request.ts`), all written by a stranger. */
    items: text(),
    /** Epoch ms, like all times here. */
    due_at: integer(),
    state: text<RequestState>(),
    /** For people: why it is still pending. */
    waits_for: textOrNull(),
    outcome: textOrNull(),
    ticket_id: textOrNull(),
    created_at: integer(),
    settled_at: integerOrNull(),
  },
};
