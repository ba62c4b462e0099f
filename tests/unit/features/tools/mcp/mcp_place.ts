/** Opens MCP servers with real processes and a real network, as a session does. */
import { redactor } from "svc/core/redact.ts";
import { McpServer, type NamedMcpServer } from "svc/features/settings/mcp_settings.ts";
import { mcpSecrets, openMcpServers } from "svc/features/tools/mcp/open_servers.ts";
import type { CallContext, ToolAnswer, ToolSession } from "svc/features/tools/tool.ts";
import { TOOLS } from "svc/features/tools/all.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import type { Run } from "svc/platform/process/child.ts";

const root = new URL("../../../../../", import.meta.url).pathname;
const node = "/usr/bin/env";

/** A published server, as `npx` would start it. */
export const published = (name: string, ...args: string[]) => [
  ...[node, "node", `${root}node_modules/@modelcontextprotocol/server-${name}/dist/index.js`],
  ...args,
];

export const bad = (fault: string, ...args: string[]) => [
  ...[Deno.execPath(), "run", "-A", "--no-check", "--quiet", "--no-config"],
  ...[`${root}tests/kit/servers/bad_mcp_server.ts`, fault, ...args],
];

export interface AskedServer extends Partial<NamedMcpServer> {
  readonly name: string;
}

export async function opened(servers: readonly AskedServer[], more: {
  readonly env?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  readonly folder?: string;
  readonly windowTokens?: number;
  readonly signal?: AbortSignal;
  /** The folder of git that the tree shares with its repo. */
  readonly commonDir?: string;
  /** Told of each program before it runs. */
  readonly ran?: (run: Run) => void;
} = {}) {
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/tmp", ...more.env };
  const named: NamedMcpServer[] = servers.map(({ name, ...rest }) => ({
    name,
    ...McpServer.parse({ roles: ["engineer"], ...rest }),
  }));
  const folder = more.folder ?? "/tmp";
  const job = `mcp-test-${crypto.randomUUID()}`;
  const processes = denoProcesses();
  const redact = redactor(mcpSecrets(named, env));
  const logged: string[] = [];
  const open = await openMcpServers({
    processes: { run: (run: Run) => (more.ran?.(run), processes.run(run)) },
    ...{ clock: systemClock, fetch: more.fetch ?? fetch, env },
    log: { write: (_, text) => void logged.push(text) },
  }, {
    servers: named,
    place: {
      ...{ job, folder, tree: "/tmp/the tree", refuseUnder: [] },
      ...(more.commonDir !== undefined && { commonDir: more.commonDir }),
    },
    taken: new Map(TOOLS.map((tool) => [tool.name, tool])),
    redact,
    windowTokens: more.windowTokens ?? 128_000,
    signal: more.signal ?? new AbortController().signal,
  });
  const call = async (
    name: string,
    args: object = {},
    signal = new AbortController().signal,
  ): Promise<ToolAnswer> => {
    const tool = open.tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}: ${JSON.stringify(open.listed)}`);
    return await tool.run({} as ToolSession, args, { signal } as CallContext);
  };
  return { ...open, call, logged, sweep: () => processes.sweep(job), redact };
}
