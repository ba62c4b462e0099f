/** What a confined Worker needs to reach its database. */
import { Failure } from "svc/core/failure.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import type { OwnNode } from "svc/features/nodes/own_node.ts";
import type { OwnerPorts, PreparationPorts } from "svc/runtime/ports.ts";
import type { Servers } from "svc/store/store.ts";
import type { Confinement } from "./confinement.ts";

type GrantPorts =
  & Pick<PreparationPorts, "clock" | "files" | "home" | "load" | "servers">
  & Pick<OwnerPorts, "identities">;

/** The name from `--node`; absent for a command that is not a service. */
export interface NodeStart {
  readonly name: string | undefined;
}

/** @throws Failure `usage` for a node that would have no team, `conflict` as `nodePlace` */
async function startingNode(
  ports: GrantPorts & { readonly servers: Servers },
  database: string,
  { name }: NodeStart,
): Promise<OwnNode> {
  const [{ nameOwnNode, ownNode }, { nodePlace }] = await Promise.all([
    ports.load("src/features/nodes/own_node"),
    ports.load("src/runtime/service/node_place"),
  ]);
  const known = await ownNode(ports);
  const node: OwnNode = name === undefined ? known : { id: known.id, name, named: true };
  await using store = await ports.servers.open(database);
  await nodePlace({ ...ports, db: store.db }, node);
  // Stored only after all checks have passed.
  if (node.named) await nameOwnNode(ports, node);
  return node;
}

/** For a server its login, and who this machine is there: the Worker may read neither variables nor those files. */
export async function databaseGrant(
  ports: GrantPorts,
  database: string,
  starts?: NodeStart,
): Promise<Pick<Confinement, "database" | "node" | "serverLogin">> {
  const { servers } = ports;
  if (!isServerAddress(database) || servers === undefined) {
    if (starts?.name === undefined) return { database };
    throw new Failure("usage", "Cannot name a node: the database is a file, so there is no team", {
      remedy: "Leave --node out, or name a server: --db postgres://<user>@<host>/<database>",
    });
  }
  const serverLogin = await servers.login(database);
  if (starts !== undefined) {
    return {
      database,
      serverLogin,
      node: await startingNode({ ...ports, servers }, database, starts),
    };
  }
  const { ownNode } = await ports.load("src/features/nodes/own_node");
  return { database, serverLogin, node: await ownNode(ports) };
}
