/** Adds the model server of the user's config to what a command holds while its Worker runs. */
import { configMentions } from "svc/features/settings/config_mentions.ts";
import type { Confinement } from "./confinement.ts";
import type { OwnServerPorts } from "./own_server.ts";

interface Asked {
  readonly role?: string;
  readonly modelEndpoint: string | undefined;
  readonly dryRun?: boolean;
}

/** Ends what the confinement holds where the server does not come up. @throws Failure as `openOwnServer` */
export async function withOwnServer(
  ports: OwnServerPorts,
  confinement: Confinement,
  { role, modelEndpoint, dryRun = false }: Asked,
): Promise<Confinement> {
  if (dryRun || !await configMentions(ports, "server")) return confinement;
  await using held = new AsyncDisposableStack();
  if (confinement.held !== undefined) held.use(confinement.held);
  const { ownServerFor } = await ports.load("src/runtime/start/own_server");
  const { repos } = confinement;
  const server = await ownServerFor(ports, { repos, role, modelEndpoint });
  if (server !== undefined) held.use(server);
  return { ...confinement, held: held.move() };
}
