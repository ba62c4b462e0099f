/** What a confined Worker needs to reach its database. */
import { isServerAddress } from "svc/core/server_address.ts";
import type { PreparationPorts } from "svc/runtime/ports.ts";
import type { Confinement } from "./confinement.ts";

/** For a server its login, since the Worker may read neither variables nor the files that say it. */
export async function databaseGrant(
  { servers }: Pick<PreparationPorts, "servers">,
  database: string,
): Promise<Pick<Confinement, "database" | "serverLogin">> {
  if (!isServerAddress(database) || servers === undefined) return { database };
  return { database, serverLogin: await servers.login(database) };
}
