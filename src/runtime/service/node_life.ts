/** Tells the team that this node is there, until its service ends. */
import { VERSION } from "svc/core/version.ts";
import { ownerText } from "svc/features/jobs/owner.ts";
import { nodeBeat, nodeBegan, nodeEnded } from "svc/features/nodes/node_store.ts";
import type { OwnNode } from "svc/features/nodes/own_node.ts";
import type { OwnerPorts } from "svc/runtime/ports.ts";

/** Between two beats; one is a single statement. */
const NODE_BEAT_MS = 5_000;

export interface NodePlan {
  readonly node: OwnNode;
  readonly concurrency: number;
}

type NodePorts = Pick<OwnerPorts, "clock" | "db" | "identities" | "log">;

/** Beats until it is disposed. @throws what the database says to its beginning */
export async function beginNode(ports: NodePorts, plan: NodePlan): Promise<AsyncDisposable> {
  const { clock, db, identities, log } = ports;
  const { node, concurrency } = plan;
  const owner = ownerText(await identities.self(), "node");
  const over = new AbortController();
  const facts = { ...node, owner, version: VERSION, concurrency, abilities: "[]" };
  await nodeBegan(db, facts, clock.now());
  async function beat(): Promise<void> {
    while (!over.signal.aborted) {
      await clock.sleep(NODE_BEAT_MS, over.signal);
      if (over.signal.aborted) return;
      await nodeBeat(db, { id: node.id, owner }, clock.now()).catch((cause) => {
        log.write("warn", "a beat of this node could not be stored", { cause });
      });
    }
  }
  const beats = beat();
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      await beats;
      await nodeEnded(db, { id: node.id, owner }, clock.now()).catch((cause) => {
        log.write("warn", "the end of this node could not be stored", { cause });
      });
    },
  };
}
