/** Deliveries of webhooks: each is taken once, and its outcome can be seen for seven days. */
import { integer, type Row, text, textOrNull } from "svc/store/columns.ts";

export type WebhookSource = "github" | "linear";

/** `accepted`: a request was stored; `noted`: a ping; `ignored`: it causes nothing. */
type DeliveryOutcome = "accepted" | "noted" | "ignored";

export const table = {
  name: "deliveries",
  columns: {
    source: text<WebhookSource>(),
    /** Given by the sender; the same when the delivery is sent again. */
    id: text(),
    /** `issues.labeled`, `push`, `Issue.update`. */
    event: text(),
    /** Repo or team, as the sender names it. */
    subject: textOrNull(),
    repo_id: textOrNull(),
    outcome: text<DeliveryOutcome>(),
    reason: textOrNull(),
    /** Epoch ms. */
    received_at: integer(),
  },
};
export type DeliveryRow = Row<typeof table>;
