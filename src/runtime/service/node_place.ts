/** Under which name a node begins, and whose place it takes. Changes nothing. */
import { Failure } from "svc/core/failure.ts";
import { ownersLife, parseOwner } from "svc/features/jobs/owner.ts";
import { isThere, NODE_GONE_MS } from "svc/features/nodes/node_condition.ts";
import { type KnownNode, listNodes } from "svc/features/nodes/node_store.ts";
import { NODE_NAME_CHARS, type OwnNode } from "svc/features/nodes/own_node.ts";
import type { Life } from "svc/platform/process/identity.ts";
import type { OwnerPorts } from "svc/runtime/ports.ts";

export interface NodePlace {
  readonly name: string;
  /** The owner that its row has now; null for none. */
  readonly before: string | null;
}

type PlacePorts = Pick<OwnerPorts, "clock" | "db" | "identities">;

const lifeOf = async ({ identities }: PlacePorts, { owner }: KnownNode): Promise<Life> =>
  owner === null ? "dead" : await ownersLife(identities)(owner);

/** By its process where that can be told, else by its beats. */
async function lives(ports: PlacePorts, node: KnownNode): Promise<boolean> {
  const life = await lifeOf(ports, node);
  return life === "unknown" ? isThere(node) : life === "alive";
}

async function takenBy(ports: PlacePorts, node: KnownNode): Promise<Failure> {
  const { name, owner, silent } = node;
  const { host = "", pid } = owner === null ? {} : parseOwner(owner) ?? {};
  const here = await lifeOf(ports, node) === "alive";
  const [machine] = host.split(":", 1);
  const where = here ? `process ${pid}` : `process ${pid} on ${machine || "another machine"}`;
  return new Failure(
    "conflict",
    `Cannot start svc: this home is node "${name}" of that database already, as ${where}`,
    {
      remedy: here
        ? "Stop that one first, or give this one a home of its own: SVC_HOME=<folder>"
        : `It was heard ${Math.round(silent / 1000)} s ago. Stop it, or wait until it is silent ` +
          `for ${NODE_GONE_MS / 1000} s; where this home is a copy of another machine's, move ` +
          "its node.json away",
    },
  );
}

function nameTaken(name: string): Failure {
  return new Failure("conflict", `Cannot start svc as node "${name}": another node is called so`, {
    remedy: "Give --node another name, or leave it out; svc nodes lists those that are taken",
  });
}

/** A name that another node has gets a number behind it. */
function numbered(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2;; number++) {
    const end = `-${number}`;
    const tried = `${name.slice(0, NODE_NAME_CHARS - end.length)}${end}`;
    if (!taken.has(tried)) return tried;
  }
}

/** @throws Failure `conflict` while another process is this node, or a living one has the name that was typed */
export async function nodePlace(ports: PlacePorts, own: OwnNode): Promise<NodePlace> {
  const nodes = await listNodes(ports.db, ports.clock.now());
  const mine = nodes.find(({ id }) => id === own.id);
  if (mine !== undefined && await lives(ports, mine)) throw await takenBy(ports, mine);
  const before = mine?.owner ?? null;
  const others = nodes.filter((node) => node !== mine);
  const other = others.find(({ name }) => name === own.name);
  if (other === undefined) return { name: own.name, before };
  if (own.named && await lives(ports, other)) throw nameTaken(own.name);
  // The number that it got before stays.
  const stem = new RegExp(`^${RegExp.escape(own.name)}-\\d+$`);
  if (mine !== undefined && stem.test(mine.name)) return { name: mine.name, before };
  return { name: numbered(own.name, new Set(others.map(({ name }) => name))), before };
}
