/**
 * What people can ask of nodes: to pause, drain, stop, work again, or be forgotten. All entrances use these
 * functions.
 */
import { Failure } from "svc/core/failure.ts";
import { didYouMean } from "svc/core/nearest.ts";
import { flatLine } from "svc/core/question.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { NodeCondition } from "svc/features/nodes/node_condition.ts";
import { forgetNode, wishOf } from "svc/features/nodes/node_store.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import type { StoredPorts } from "svc/runtime/ports.ts";
import { type NodeItem, nodesNow } from "svc/runtime/views/node_item.ts";
import { serverOf } from "svc/store/server_adapter.ts";

export const NODE_ACTS = ["pause", "drain", "stop", "resume"] as const;
export type NodeAct = typeof NODE_ACTS[number];

export interface NodeAsk {
  readonly act: NodeAct;
  /** Their names, or all that are there. */
  readonly nodes: readonly string[] | "all";
  /** Who asks, such as "Ada". */
  readonly by: string;
  /** Redacted. */
  readonly reason: string | undefined;
}

export interface NodeControls {
  /** @throws Failure as `askNodes` */
  askNode(ask: Omit<NodeAsk, "by" | "nodes"> & { readonly node: string }): Promise<void>;
}

const DONE = { pause: "paused", drain: "drained", stop: "stopped", resume: "resumed" } as const;
const REASON_CHARS = 500;

export const refuseFile = (doing: string) =>
  new Failure("usage", `Cannot ${doing}: the database is a file, on which one machine works`, {
    remedy: "Name the server of a team: --db postgres://<user>@<host>/<database>",
  });

async function teamOf(ports: StoredPorts, doing: string): Promise<NodeItem[]> {
  if (serverOf(ports.db) === undefined) throw refuseFile(doing);
  return await nodesNow(ports);
}

function named(team: readonly NodeItem[], name: string, doing: string): NodeItem {
  const found = team.find((node) => node.name === name);
  if (found !== undefined) return found;
  const hint = didYouMean(name, team.map((node) => node.name));
  throw new Failure("not_found", `Cannot ${doing} node ${quoted(name)}: there is none`, {
    remedy: hint === "" ? "svc nodes lists them" : hint,
  });
}

const THERE: readonly NodeCondition[] = ["working", "waiting", "paused", "draining", "drained"];

/**
 * Why a node cannot be asked for something. A pause outlasts the process, so a node that is away can be asked
 * to pause.
 */
function refusal({ name, condition }: NodeItem, act: NodeAct): Failure | undefined {
  if (THERE.includes(condition)) return undefined;
  if (condition === "stopping") {
    return new Failure("conflict", `Cannot ${act} node ${quoted(name)}: it stops`, {
      remedy: "Ask again when it runs again",
    });
  }
  if (act === "pause" || act === "resume") return undefined;
  const why = condition === "ended" ? "it has ended" : "it is gone, so that nobody would hear it";
  return new Failure("conflict", `Cannot ${act} node ${quoted(name)}: ${why}`, {
    remedy: `Nothing is left to do; to take it off the list: svc nodes forget ${name}`,
  });
}

function reasonOf({ act, by, reason = "" }: NodeAsk): string {
  const why = flatLine(reason);
  if (why.length > REASON_CHARS) {
    const much = `the reason has ${why.length} characters, and ${REASON_CHARS} are taken`;
    throw new Failure("usage", `Cannot ${act} the node: ${much}`, {
      remedy: "Say it in fewer words",
    });
  }
  return why === "" ? `${DONE[act]} by ${by}` : `${DONE[act]} by ${by}: ${why}`;
}

/**
 * Each hears of it with its next beat. All are asked, or none.
 * @returns those that were asked, as they were before
 * @throws Failure `usage`, `not_found`; `conflict` for one that cannot be asked
 */
export async function askNodes(ports: StoredPorts, ask: NodeAsk): Promise<readonly NodeItem[]> {
  const { act, nodes } = ask;
  const reason = reasonOf(ask);
  const team = await teamOf(ports, `${act} a node`);
  const asked = nodes === "all"
    ? team.filter(({ condition }) => THERE.includes(condition))
    : [...new Set(nodes)].map((name) => named(team, name, act));
  for (const node of asked) {
    const fault = refusal(node, act);
    if (fault !== undefined) throw fault;
  }
  const wish = act === "resume"
    ? { wanted: "work" as const, reason: null }
    : { wanted: act, reason };
  await wishOf(ports.db, asked.map(({ id }) => id), wish);
  return asked;
}

/** @throws Failure `not_found`; `conflict` while it is there, or something is its own */
export async function forget(
  ports: StoredPorts,
  name: string,
  { dryRun = false } = {},
): Promise<NodeItem> {
  const team = await teamOf(ports, "forget a node");
  const node = named(team, name, "forget");
  const refuse = (why: string, remedy: string): never => {
    throw new Failure("conflict", `Cannot forget node ${quoted(name)}: ${why}`, { remedy });
  };
  if (node.condition !== "ended" && node.condition !== "gone") {
    refuse("it is there", `Stop it first: svc nodes stop ${name}`);
  }
  if (node.running > 0) {
    refuse(
      `jobs run on it (${node.running})`,
      "Another node takes them back when their leases have ended, within two minutes",
    );
  }
  const [own, ...more] = (await listRepos(ports.db))
    .filter(({ url, node_id }) => url === null && node_id === node.id);
  if (own !== undefined) {
    const others = more.length === 0 ? "" : ` and ${more.length} more`;
    refuse(
      `only it works on ${quoted(own.path)}${others}`,
      "Register them where they lie from now on: svc register",
    );
  }
  if (!dryRun) await forgetNode(ports.db, node.id);
  return node;
}
