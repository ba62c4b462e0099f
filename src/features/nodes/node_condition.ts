/** What a node is at, told from its row and its running jobs. Pure. */
import type { KnownNode } from "./node_store.ts";
import type { NodeWish } from "./node_table.ts";

/** Twelve beats: fewer may be missing while a server starts anew. */
export const NODE_GONE_MS = 60_000;

/** `waiting`: it claims nothing of its own accord. `gone`: no beat for `NODE_GONE_MS`, and no end either. */
export const NODE_CONDITIONS = [
  "working",
  "waiting",
  "paused",
  "draining",
  "drained",
  "stopping",
  "gone",
  "ended",
] as const;
export type NodeCondition = typeof NODE_CONDITIONS[number];

type Judged = Pick<KnownNode, "ended_at" | "silent">;

export const isThere = ({ ended_at, silent }: Judged): boolean =>
  ended_at === null && silent <= NODE_GONE_MS;

/** @param running its jobs */
export function conditionOf(
  node: Judged & Pick<KnownNode, "waits" | "wanted">,
  running: number,
): NodeCondition {
  if (node.ended_at !== null) return "ended";
  if (!isThere(node)) return "gone";
  switch (node.wanted) {
    case "pause":
      return "paused";
    case "drain":
      return running === 0 ? "drained" : "draining";
    case "stop":
      return "stopping";
    case "work":
      return node.waits === null ? "working" : "waiting";
  }
}

/** Why a node claims nothing; undefined while it works. @param running its jobs */
export function holdOf(
  name: string,
  { wanted, reason }: { readonly wanted: NodeWish; readonly reason: string | null },
  running: number,
): string | undefined {
  const why = reason === null ? "" : `: ${reason}`;
  switch (wanted) {
    case "work":
      return undefined;
    case "pause":
      return `node ${name} is paused${why}`;
    case "drain":
      return running === 0 ? `node ${name} is drained${why}` : `node ${name} drains${why}`;
    case "stop":
      return `node ${name} stops${why}`;
  }
}
