/** Deliveries of webhooks: each is taken once, and what became of it can be seen for seven days. */
import type { Table } from "svc/store/columns.ts";

export const SOURCES = ["github", "linear"] as const;
export type Source = typeof SOURCES[number];

/** `accepted`: it causes something; `noted`: a ping; `ignored`: svc has no use for it. */
export type DeliveryOutcome = "accepted" | "noted" | "ignored";

export interface DeliveryTable {
  source: Source;
  /** The sender's own: the same when it is sent again. */
  id: string;
  /** `issues.labeled`, `push`, `Issue.update`. */
  event: string;
  /** Repo or team, as the sender names it. */
  subject: string | null;
  repo_id: string | null;
  outcome: DeliveryOutcome;
  /** Exactly of an ignored one. */
  reason: string | null;
  /** Epoch ms. */
  received_at: number;
}
export type DeliveryRow = DeliveryTable;

export const table: Table<DeliveryTable> = {
  name: "deliveries",
  columns: {
    source: "TEXT NOT NULL",
    id: "TEXT NOT NULL",
    event: "TEXT NOT NULL",
    subject: "TEXT",
    repo_id: "TEXT",
    outcome: "TEXT NOT NULL",
    reason: "TEXT",
    received_at: "INTEGER NOT NULL",
  },
};
