/** Wishes: what an event from outside is to cause, kept from the answer to it until it is done. */
import type { Table } from "svc/store/columns.ts";
import type { Generated } from "svc/store/query.ts";
import type { Source } from "./delivery_table.ts";
import type { WishKind } from "./wish.ts";

export const WISH_STATES = ["pending", "done", "dropped"] as const;
export type WishState = typeof WISH_STATES[number];

export interface WishTable {
  /** Grows; settled in this order. */
  id: Generated<number>;
  repo_id: string;
  source: Source;
  /** Of the first event that asked for it, as in the manifest: `github.issues.labeled`. */
  event: string;
  kind: WishKind;
  /** The same for two events that mean one thing. */
  unique_key: string;
  /** 1: events of this key join it while it is pending. */
  batch: number;
  /** JSON array of what its kind takes (`wish.ts`); all of it is a stranger's text. */
  items: string;
  /** Epoch ms, as all times here. */
  due_at: number;
  state: WishState;
  /** Why it is still pending, for people. */
  waits_for: string | null;
  /** What came of it, or why nothing did. */
  outcome: string | null;
  /** Ticket that it was about, once that is known. */
  ticket_id: string | null;
  created_at: number;
  settled_at: number | null;
}

export const table: Table<WishTable> = {
  name: "wishes",
  columns: {
    id: "INTEGER NOT NULL",
    repo_id: "TEXT NOT NULL",
    source: "TEXT NOT NULL",
    event: "TEXT NOT NULL",
    kind: "TEXT NOT NULL",
    unique_key: "TEXT NOT NULL",
    batch: "INTEGER NOT NULL",
    items: "TEXT NOT NULL",
    due_at: "INTEGER NOT NULL",
    state: "TEXT NOT NULL",
    waits_for: "TEXT",
    outcome: "TEXT",
    ticket_id: "TEXT",
    created_at: "INTEGER NOT NULL",
    settled_at: "INTEGER",
  },
};
