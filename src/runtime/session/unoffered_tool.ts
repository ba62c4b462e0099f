/** Why a tool of an MCP server of the user's config cannot be called, for a person who called it by hand. */
import { Failure } from "svc/core/failure.ts";
import type { Profile } from "svc/core/permission.ts";
import { configMentions } from "svc/features/settings/config_mentions.ts";
import type { ListedMcpServer } from "svc/features/tools/mcp/open_servers.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

interface UnofferedTool {
  /** As it was called: `files.read`, or `files__read`. */
  readonly name: string;
  readonly role: string | undefined;
  readonly profile: Profile;
  /** Those of the session. */
  readonly servers: readonly ListedMcpServer[];
  /** How a repo without roles gets some. */
  readonly giveRoles: string | undefined;
}

const HOST = "--execution-profile host --acknowledge-host-execution";
const LIST = `svc tools list --servers ${HOST}`;

/** Undefined for a name that belongs to no server of the config. */
export async function unofferedTool(
  ports: Pick<RuntimePorts, "files" | "home" | "settings">,
  { name, role, profile, servers, giveRoles }: UnofferedTool,
): Promise<Failure | undefined> {
  const [server = "", ...rest] = name.split(/\.|__/);
  if (rest.length === 0 || !await configMentions(ports, "mcp")) return undefined;
  const { mcp } = await ports.settings();
  const named = Object.hasOwn(mcp.servers, server) ? mcp.servers[server] : undefined;
  if (named === undefined) return undefined;
  const fault = (code: "environment" | "not_found" | "refused", why: string, remedy: string) =>
    new Failure(code, `Cannot run ${name}: ${why}`, { remedy });
  const roles = named.roles.join(", ");
  if (role === undefined || !named.roles.includes(role)) {
    const who = role === undefined ? "a session without a role" : `the role ${role}`;
    const why = `your config gives the server "${server}" to ${roles}, not to ${who}`;
    return fault(
      "refused",
      why,
      giveRoles ?? `Run it as --role ${named.roles.join(", or --role ")}`,
    );
  }
  if (profile !== "host") {
    return fault("refused", `MCP servers are used in host profile alone`, `Add ${HOST}`);
  }
  const tool = name.slice(server.length).replace(/^\.|^__/, "");
  const listed = servers.find((one) => one.name === server);
  if (listed === undefined) {
    const why = `the policy does not let ${role} use the server "${server}"`;
    return fault("refused", why, `See which part of the policy: ${LIST} --role ${role}`);
  }
  if (listed.reason !== undefined) return fault("environment", listed.reason, LIST);
  const left = listed.leftOut.find((one) => one.name === `${server}.${tool}`);
  if (left !== undefined) {
    const why = `svc leaves it out: ${left.reason}`;
    return fault(
      "refused",
      why,
      `Name the tools that you need as tools of "${server}" in your config`,
    );
  }
  return fault("not_found", `the server "${server}" has no tool "${tool}"`, LIST);
}
