/** The MCP servers of the user's config, as shown to a person: as configured, or started and asked. */
import type { Config } from "svc/features/settings/config_file.ts";
import { type NamedMcpServer, serversOf } from "svc/features/settings/mcp_settings.ts";
import { TOOLS } from "svc/features/tools/all.ts";
import { mcpSecrets, openMcpServers } from "svc/features/tools/mcp/open_servers.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { redactor } from "svc/core/redact.ts";
import { uuidV7 } from "svc/core/ids.ts";
import type { PreparationPorts } from "svc/runtime/ports.ts";

export interface ShownMcpServer {
  readonly name: string;
  readonly kind: "http" | "stdio";
  /** Its command line or address. */
  readonly where: string;
  readonly roles: readonly string[];
  readonly state: "failed" | "not_started" | "ready";
  readonly reason: string | null;
  readonly tools: readonly string[];
  readonly left_out: readonly { readonly name: string; readonly reason: string }[];
}

export interface AskedServers extends AsyncDisposable {
  readonly servers: readonly ShownMcpServer[];
  readonly tools: readonly (AnyTool & { readonly roles: readonly string[] })[];
}

const shown = ({ name, command, url, roles }: NamedMcpServer) => ({
  ...{ name, roles },
  kind: url === undefined ? "stdio" as const : "http" as const,
  where: url ?? (command ?? []).join(" "),
});

interface AskPlan {
  readonly mcp: Config["mcp"];
  /** Starts programs of the user, and reaches hosts. */
  readonly start: boolean;
  /** For `{tree}`. */
  readonly tree: string;
  /** Where the tree is one of a repo. */
  readonly commonDir?: string | undefined;
  /** Names of a repo's own tools. */
  readonly custom?: readonly AnyTool[];
}

/** Tokens: all roles' servers are shown at once, and the roles may have different models. */
const SHOWN_WINDOW = 128_000;

/** @throws the reason of the ports' signal alone */
export async function askServers(
  ports: Pick<
    PreparationPorts,
    "clock" | "env" | "fetch" | "files" | "home" | "log" | "processes" | "redact" | "signal"
  >,
  { mcp, start, tree, commonDir, custom = [] }: AskPlan,
): Promise<AskedServers> {
  const named = serversOf(mcp, undefined);
  if (!start || named.length === 0) {
    const still = { state: "not_started" as const, reason: null, tools: [], left_out: [] };
    return {
      servers: named.map((server) => ({ ...shown(server), ...still })),
      tools: [],
      async [Symbol.asyncDispose]() {},
    };
  }
  const env = ports.env.all();
  const folder = ports.home.cache;
  await ports.files.makeFolder(folder);
  const open = await openMcpServers({ ...ports, env }, {
    servers: named,
    place: {
      job: uuidV7(ports.clock.now()),
      ...{ folder, tree, refuseUnder: [tree] },
      ...(commonDir !== undefined && { commonDir }),
    },
    taken: new Map([...TOOLS, ...custom].map((tool) => [tool.name, tool])),
    redact: redactor(mcpSecrets(named, env), ports.redact),
    windowTokens: SHOWN_WINDOW,
    signal: ports.signal,
  });
  const servers = named.map((server, at): ShownMcpServer => {
    const { reason, tools, leftOut } = open.listed[at]!;
    const state = reason === undefined ? "ready" : "failed";
    return { ...shown(server), state, reason: reason ?? null, tools, left_out: leftOut };
  });
  const rolesOf = (tool: AnyTool) => servers.find(({ tools }) => tools.includes(tool.name))!.roles;
  return {
    servers,
    tools: open.tools.map((tool) => ({ ...tool, roles: rolesOf(tool) })),
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}
