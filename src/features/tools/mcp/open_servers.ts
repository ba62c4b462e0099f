/** Starts the MCP servers that a session may use and makes tools of theirs; one that fails costs nobody anything else. */
import { z } from "zod";
import { TOKEN_CHARS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { oneLine } from "svc/core/plain_text.ts";
import type { Capability } from "svc/core/permission.ts";
import type { Redact } from "svc/core/redact.ts";
import type { OfferedNames } from "svc/core/tool_names.ts";
import { isSecretSetting } from "svc/features/settings/known_secrets.ts";
import type { NamedMcpServer } from "svc/features/settings/mcp_settings.ts";
import { type AnyTool, tool } from "svc/features/tools/tool.ts";
import type { Log } from "svc/platform/log.ts";
import { answerOf } from "./answer.ts";
import { type LeftOutTool, type OfferedMcpTool, offerTools } from "./offer.ts";
import { type McpPlace, type McpPorts, McpServerSession } from "./server.ts";

/** Share of the model's window that the tools of all servers may take. */
const WINDOW_SHARE = 0.125;

export interface ListedMcpServer {
  readonly name: string;
  /** Why it cannot be used; absent when it answers. */
  readonly reason?: string;
  /** As models call them. */
  readonly tools: readonly string[];
  readonly leftOut: readonly LeftOutTool[];
}

export interface McpServers extends AsyncDisposable {
  readonly tools: readonly AnyTool[];
  readonly listed: readonly ListedMcpServer[];
}

interface McpPlan {
  readonly servers: readonly NamedMcpServer[];
  readonly place: McpPlace;
  /** Names of svc's own tools. */
  readonly taken: OfferedNames;
  readonly redact: Redact;
  /** Tokens. */
  readonly windowTokens: number;
  readonly signal: AbortSignal;
}

/** A program of the user, or another host. */
export const mcpCapability = ({ url }: Pick<NamedMcpServer, "url">): Capability =>
  url === undefined ? "exec" : "net";

type GivenArgs = Record<string, unknown>;

/** The server itself checks them. */
const args = (): z.ZodType<GivenArgs> => z.record(z.string(), z.unknown());

function toolOf(
  session: McpServerSession,
  server: NamedMcpServer,
  { name, theirs, about, parameters }: OfferedMcpTool,
): AnyTool {
  return tool<GivenArgs>({
    name,
    about,
    capability: mcpCapability(server),
    args,
    parameters,
    touches: () => ({ argv: server.command ?? [] }),
    async run(_, given, { signal }) {
      return answerOf(server.name, await session.call(theirs, given, signal));
    },
  });
}

/** Values of the variables that the config names: a server may repeat them. */
export function mcpSecrets(
  servers: readonly Pick<NamedMcpServer, "env" | "key_env">[],
  env: Readonly<Record<string, string>>,
): string[] {
  return servers.flatMap(({ env: names, key_env }) => {
    const key = key_env === undefined ? undefined : env[key_env];
    const values = names.filter((name) => isSecretSetting(name, env[name] ?? ""));
    return [...(key === undefined ? [] : [key]), ...values.map((name) => env[name]!)];
  });
}

/** @throws the reason of `signal` alone */
export async function openMcpServers(
  ports: McpPorts & { readonly log: Pick<Log, "write"> },
  plan: McpPlan,
): Promise<McpServers> {
  const { servers, place, taken, redact, windowTokens, signal } = plan;
  await using open = new AsyncDisposableStack();
  const roomBytes = Math.floor(windowTokens * TOKEN_CHARS * WINDOW_SHARE / servers.length);
  const opened = await Promise.all(servers.map(async (server) => {
    const session = open.use(new McpServerSession(ports, server, place));
    const { name } = server;
    try {
      const missing = [...server.env, ...(server.key_env === undefined ? [] : [server.key_env])]
        .filter((variable) => ports.env[variable] === undefined);
      if (missing.length > 0) {
        throw new Failure("environment", `Cannot use the server "${name}": ${missing} is not set`, {
          remedy: `export ${missing[0]}=…, then start svc again`,
        });
      }
      const found = await session.tools(signal);
      const { tools, leftOut } = offerTools(found, {
        ...{ server: name, wanted: server.tools, taken, redact, roomBytes },
      });
      const listed = { name, tools: tools.map((one) => one.name), leftOut };
      return { tools: tools.map((one) => toolOf(session, server, one)), listed };
    } catch (thrown) {
      signal.throwIfAborted();
      await session[Symbol.asyncDispose]();
      // Only this redactor knows what the server was given.
      const reason = redact(oneLine(Failure.from(thrown).message));
      ports.log.write("warn", reason);
      return { tools: [], listed: { name, reason, tools: [], leftOut: [] } };
    }
  }));
  const parts = open.move();
  return {
    tools: opened.flatMap(({ tools }) => tools),
    listed: opened.map(({ listed }) => listed),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
