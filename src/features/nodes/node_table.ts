/** Nodes: each is one svc home on one machine that works on the database of a server. */
import { integer, integerOrNull, type Row, text, textOrNull } from "svc/store/columns.ts";

export const NODE_WISHES = ["work", "pause", "drain", "stop"] as const;
export type NodeWish = typeof NODE_WISHES[number];

export const table = {
  name: "nodes",
  columns: {
    /** A UUID that its home keeps. */
    id: text(),
    /** Unique in the team. */
    name: text(),
    /** Its process, as in `owner.ts`; null once it has ended. */
    owner: textOrNull(),
    /** The version of svc, such as "0.2.0". */
    version: text(),
    /** How many jobs may run at a time. */
    concurrency: integer(),
    /** JSON array, such as `["tag:gpu","model:qwen3-coder"]`. */
    abilities: text(),
    /** What a person asked of it. */
    wanted: text<NodeWish>(),
    /** Why, as that person said. */
    reason: textOrNull(),
    /** Epoch ms by the server's clock, as all times here. */
    started_at: integer(),
    beat_at: integer(),
    ended_at: integerOrNull(),
    /** When the files of its home were last looked through. */
    retained_at: integerOrNull(),
    /** Migrations that its svc knows; null: it did not say. */
    schema: integerOrNull(),
    /** Why it claims nothing, in its own words; null while it claims, or does what a person asked. */
    waits: textOrNull(),
  },
};
export type NodeRow = Row<typeof table>;
