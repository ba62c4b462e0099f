/** Who this machine is in its team: an id that the home keeps, and a name. */
import { Failure } from "svc/core/failure.ts";
import { uuidV7 } from "svc/core/ids.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Home } from "svc/platform/home.ts";
import type { Identities } from "svc/platform/process/identity.ts";

/** A node as its own process knows it. */
export interface OwnNode {
  /** UUID. */
  readonly id: string;
  /** As it is kept here; where another node of the team has it, a number comes behind it. */
  readonly name: string;
  /** A person typed it with this start: it must be free. */
  readonly named?: true;
}

export interface OwnNodePorts {
  readonly files: Pick<Files, "makeFolder" | "readText" | "stat" | "writeAtomic">;
  readonly home: Pick<Home, "node" | "root">;
  readonly clock: Pick<Clock, "now">;
  readonly identities: Pick<Identities, "self">;
}

const RECORD_BYTES = 4096;

export const NODE_NAME_CHARS = 63;

/** Letters, digits, dots, dashes and underscores: it is typed in commands. */
export const NODE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** @throws Failure `usage` for what a node cannot be called */
export function checkNodeName(name: string): void {
  if (NODE_NAME.test(name)) return;
  throw new Failure("usage", `Cannot name the node ${quoted(name)}`, {
    remedy: `Take up to ${NODE_NAME_CHARS} letters, digits, ".", "_" or "-", such as build-7`,
  });
}

/** Before the colon is the machine's name (`ProcessIdentity.host`). */
function nameOfHost(host: string): string {
  const name = host.split(":", 1)[0]!.replaceAll(/[^A-Za-z0-9._-]/g, "-").slice(0, NODE_NAME_CHARS);
  return NODE_NAME.test(name) ? name : "node";
}

/** Undefined for a home that never was a node. @throws Failure `environment` for a file that says nothing */
export async function keptNode(
  { files, home }: Pick<OwnNodePorts, "files" | "home">,
): Promise<OwnNode | undefined> {
  if (await files.stat(home.node) === undefined) return undefined;
  const text = await files.readText(home.node, { maxBytes: RECORD_BYTES, lossy: true });
  try {
    return nodeIn(JSON.parse(text));
  } catch (cause) {
    throw new Failure("environment", `Cannot read "${home.node}": it does not name a node`, {
      remedy: "Move it away; svc writes another, and the repos of this node are registered anew",
      cause,
    });
  }
}

/** Without zod, which a service does not load before it answers. */
function nodeIn({ version, id, name }: Readonly<Record<string, unknown>>): OwnNode {
  const isNode = version === 1 && typeof id === "string" && id.length === 36;
  if (isNode && typeof name === "string" && name !== "") return { id, name };
  throw new TypeError("no version, id or name of a node");
}

/** Kept with the first call. @throws Failure `environment` for a file that says nothing */
export async function ownNode(ports: OwnNodePorts): Promise<OwnNode> {
  const known = await keptNode(ports);
  if (known !== undefined) return known;
  const { clock, identities } = ports;
  const { host } = await identities.self();
  const node = { id: uuidV7(clock.now()), name: nameOfHost(host) };
  try {
    await keep(ports, node, { fresh: true });
    return node;
  } catch (thrown) {
    // Another process of this home was first.
    const first = Failure.from(thrown).code === "conflict" ? await keptNode(ports) : undefined;
    if (first === undefined) throw thrown;
    return first;
  }
}

async function keep(
  { files, home }: OwnNodePorts,
  { id, name }: OwnNode,
  how: { readonly fresh?: true } = {},
): Promise<void> {
  await files.makeFolder(home.root);
  const text = `${JSON.stringify({ version: 1, id, name }, null, 2)}\n`;
  await files.writeAtomic(home.node, text, how);
}

/** From now on this home's node is called so. */
export async function nameOwnNode(ports: OwnNodePorts, node: OwnNode): Promise<void> {
  if ((await ownNode(ports)).name !== node.name) await keep(ports, node);
}
