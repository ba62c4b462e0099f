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
import { asServerNames } from "./plain_names.ts";
import type { ListedTool } from "./results.ts";
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
  { name, theirs, about, parameters, renamed }: OfferedMcpTool,
  redact: Redact,
): AnyTool {
  return tool<GivenArgs>({
    name,
    about,
    capability: mcpCapability(server),
    args,
    parameters,
    touches: () => ({ argv: server.command ?? [] }),
    async run(_, given, { signal }) {
      const args = asServerNames(given, renamed);
      return answerOf(server.name, await session.call(theirs, args, signal), redact);
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

/** What one server answered; `tools` as it names them. */
interface Answered {
  readonly session: McpServerSession;
  readonly server: NamedMcpServer;
  readonly tools: readonly ListedTool[];
  readonly reason?: string;
}

/** Each gets what it needs, or an equal part of what those that need less leave over. */
export function shareRoom(needs: readonly number[], room: number): number[] {
  const shares = needs.map(() => 0);
  let left = room;
  const rising = needs.map((need, at) => ({ need, at })).sort((a, b) => a.need - b.need);
  for (const [done, { need, at }] of rising.entries()) {
    shares[at] = Math.min(need, Math.floor(left / (rising.length - done)));
    left -= shares[at];
  }
  return shares;
}

function offerAll(answered: readonly Answered[], { taken, redact, windowTokens }: McpPlan) {
  const offer = ({ server: { name, tools: wanted }, tools }: Answered, roomBytes: number) =>
    offerTools(tools, { server: name, wanted, taken, redact, roomBytes });
  const needs = answered.map((one) =>
    offer(one, Infinity).tools.reduce((sum, { bytes }) => sum + bytes, 0)
  );
  const rooms = shareRoom(needs, Math.floor(windowTokens * TOKEN_CHARS * WINDOW_SHARE));
  return answered.map((one, at) => {
    const { session, server, reason } = one;
    const { name } = server;
    if (reason !== undefined) {
      return { tools: [], listed: { name, reason, tools: [], leftOut: [] } };
    }
    const { tools, leftOut } = offer(one, rooms[at]!);
    const listed = { name, tools: tools.map((tool) => tool.name), leftOut };
    return { tools: tools.map((tool) => toolOf(session, server, tool, redact)), listed };
  });
}

/** @throws the reason of `signal` alone */
export async function openMcpServers(
  ports: McpPorts & { readonly log: Pick<Log, "write"> },
  plan: McpPlan,
): Promise<McpServers> {
  const { servers, place, redact, signal } = plan;
  await using open = new AsyncDisposableStack();
  const answered = await Promise.all(servers.map(async (server): Promise<Answered> => {
    const session = open.use(new McpServerSession(ports, server, place, redact));
    const { name } = server;
    try {
      const missing = [...server.env, ...(server.key_env === undefined ? [] : [server.key_env])]
        .filter((variable) => ports.env[variable] === undefined);
      if (missing.length > 0) {
        throw new Failure("environment", `Cannot use the server "${name}": ${missing} is not set`, {
          remedy: `export ${missing[0]}=…, then start svc again`,
        });
      }
      return { session, server, tools: await session.tools(signal) };
    } catch (thrown) {
      signal.throwIfAborted();
      await session[Symbol.asyncDispose]();
      // Only this redactor knows what the server was given.
      const reason = redact(oneLine(Failure.from(thrown).message));
      ports.log.write("warn", reason);
      return { session, server, tools: [], reason };
    }
  }));
  const opened = offerAll(answered, plan);
  const parts = open.move();
  return {
    tools: opened.flatMap(({ tools }) => tools),
    listed: opened.map(({ listed }) => listed),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
