/** What a confined Worker needs to reach its database. */
import { isServerAddress } from "svc/core/server_address.ts";
import type { OwnerPorts, PreparationPorts } from "svc/runtime/ports.ts";
import type { Confinement } from "./confinement.ts";

type GrantPorts =
  & Pick<PreparationPorts, "clock" | "files" | "home" | "load" | "servers">
  & Pick<OwnerPorts, "identities">;

/** For a server its login, and who this machine is there: the Worker may read neither variables nor those files. */
export async function databaseGrant(
  ports: GrantPorts,
  database: string,
): Promise<Pick<Confinement, "database" | "node" | "serverLogin">> {
  const { servers } = ports;
  if (!isServerAddress(database) || servers === undefined) return { database };
  const { ownNode } = await ports.load("src/features/nodes/own_node");
  return { database, serverLogin: await servers.login(database), node: await ownNode(ports) };
}
