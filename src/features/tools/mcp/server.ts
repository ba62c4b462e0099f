/** One MCP server in one session: started when it is needed, ended when it misbehaves, and bounded. */
import {
  Client,
  type jsonSchemaValidator,
  type JsonSchemaValidatorResult,
  ProtocolError,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";
import { Failure } from "svc/core/failure.ts";
import { oneLine } from "svc/core/plain_text.ts";
import type { Redact } from "svc/core/redact.ts";
import { shortened } from "svc/core/shortened.ts";
import { VERSION } from "svc/core/version.ts";
import type { NamedMcpServer } from "svc/features/settings/mcp_settings.ts";
import type { Clock } from "svc/platform/clock.ts";
import { childEnv } from "svc/platform/process/program.ts";
import type { Processes } from "svc/platform/process/process.ts";
import { httpFetch } from "./http_fetch.ts";
import { brokeOff, HttpTransport } from "./http_transport.ts";
import { CALL_RESULT, type CallResult, type ListedTool, TOOL_PAGE } from "./results.ts";
import { StdioTransport } from "./stdio_transport.ts";

export interface McpPorts {
  readonly processes: Pick<Processes, "run">;
  readonly clock: Pick<Clock, "sleep">;
  readonly fetch: typeof fetch;
  readonly env: Readonly<Record<string, string>>;
}

export interface McpPlace {
  /** Tags the processes, which end with it. */
  readonly job: string;
  /** Where programs start; outside every repo, whose files some programs would take for settings. */
  readonly folder: string;
  /** The work tree, for `{tree}`. */
  readonly tree: string;
  /** Git's folder that the tree shares; absent for a tree that is no repo. */
  readonly commonDir?: string;
  /** Programs in these folders are never found by name. */
  readonly refuseUnder: readonly string[];
}

/** Times that a server is started in one session. */
const STARTS = 3;

/** Pages of its list of tools. */
const PAGES = 8;

/** Bytes of standard error that are kept of a server, at each end. */
const KEPT_BYTES = 16 * 1024;

const WHY_CHARS = 600;

/** Else each client makes one that is never used: it turns a schema from outside into code, and svc relies on none. */
const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator<T>() {
    return (input) =>
      ({ valid: true, data: input, errorMessage: undefined }) as JsonSchemaValidatorResult<T>;
  },
};

interface Connection {
  readonly client: Client;
  /** Why the connection broke, where that is known. */
  fault(): string | undefined;
  /** Whether the server has ended its session, as after a while without calls. */
  forgotten(): boolean;
  end(): Promise<void>;
}

/** `fetch` says only in its cause what went wrong. */
function causeText(thrown: unknown): string {
  const { message, cause } = thrown as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

export class McpServerSession implements AsyncDisposable {
  readonly name: string;
  #starts = 0;
  #connection: Promise<Connection> | undefined;
  /** The last that answered a request. */
  #answered: Connection | undefined;
  #over = false;

  constructor(
    private readonly ports: McpPorts,
    private readonly server: NamedMcpServer,
    private readonly place: McpPlace,
    /** Knows what the server was given. */
    private readonly redact: Redact,
  ) {
    this.name = server.name;
  }

  /** @throws Failure `environment` with the cause; the reason of `signal` */
  async tools(signal: AbortSignal): Promise<readonly ListedTool[]> {
    return await this.#ask(this.server.start_seconds, signal, async (client, options) => {
      if (client.getServerCapabilities()?.tools === undefined) return [];
      const tools: ListedTool[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < PAGES; page++) {
        const request = {
          method: "tools/list",
          ...(cursor !== undefined && { params: { cursor } }),
        };
        const listed = await client.request(request, TOOL_PAGE, options);
        // The same page again, from a server that has just one.
        if (cursor !== undefined && listed.next === cursor) return tools;
        tools.push(...listed.tools);
        if (listed.next === undefined) return tools;
        cursor = listed.next;
      }
      throw new Error(`its list of tools has more than ${PAGES} pages`);
    });
  }

  /** @throws as `tools` */
  async call(
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<CallResult> {
    const { timeout_seconds } = this.server;
    return await this.#ask(timeout_seconds, signal, async (client, options) => {
      try {
        const request = { method: "tools/call", params: { name, arguments: args } };
        return await client.request(request, CALL_RESULT, options);
      } catch (thrown) {
        // How many servers refuse arguments: an answer to this call, which says nothing of the next.
        if (!(thrown instanceof ProtocolError) || brokeOff(thrown)) throw thrown;
        return { content: [{ type: "text", text: thrown.message }], isError: true };
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over = true;
    await this.#end();
  }

  async #ask<T>(
    seconds: number,
    signal: AbortSignal,
    ask: (client: Client, options: { signal: AbortSignal; timeout: number }) => Promise<T>,
  ): Promise<T> {
    const opened = await this.#open(signal);
    try {
      const answer = await ask(opened.client, { signal, timeout: seconds * 1000 });
      this.#answered = opened;
      return answer;
    } catch (thrown) {
      signal.throwIfAborted();
      if (opened.forgotten() && this.#answered === opened) {
        // A client has to begin another one then ("Session Management", modelcontextprotocol.io): nothing broke.
        this.#starts--;
        await this.#end();
        return await this.#ask(seconds, signal, ask);
      }
      const late = thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout;
      const broken = late || brokeOff(thrown) || opened.fault() !== undefined;
      // A server that hangs may hang for good; the next call has a new one.
      if (broken) await this.#end();
      const why = late ? `it did not answer within ${seconds} s` : opened.fault();
      throw this.#failure(why ?? causeText(thrown), thrown, broken);
    }
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    if (this.#over) throw this.#failure("the session has ended", undefined, true);
    if (this.#connection === undefined && ++this.#starts > STARTS) {
      throw this.#failure(`it broke ${STARTS} times`, undefined, false);
    }
    this.#connection ??= this.#connect(signal);
    try {
      const opened = await this.#connection;
      if (opened.fault() === undefined) return opened;
    } catch (thrown) {
      this.#connection = undefined;
      throw thrown;
    }
    await this.#end();
    return await this.#open(signal);
  }

  async #connect(signal: AbortSignal): Promise<Connection> {
    const { transport, fault, said, forgotten, end } = this.#transport();
    const client = new Client({ name: "svc", version: VERSION }, {
      capabilities: {},
      jsonSchemaValidator: NO_VALIDATOR,
    });
    const { start_seconds } = this.server;
    try {
      await client.connect(transport, { signal, timeout: start_seconds * 1000 });
    } catch (thrown) {
      const why = fault();
      await end();
      signal.throwIfAborted();
      const late = thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout;
      // A first start of npx may be a download, and what it waits for stands there.
      const told = late
        ? `it did not answer within ${start_seconds} s, its start_seconds of the config${said()}`
        : undefined;
      throw this.#failure(why ?? told ?? causeText(thrown), thrown, true);
    }
    return { client, fault, forgotten, end };
  }

  #transport() {
    return this.server.url === undefined ? this.#program() : this.#address(this.server.url);
  }

  #program() {
    const { command = [], env: names } = this.server;
    const { env } = this.ports;
    const { job, folder, tree, commonDir, refuseUnder } = this.place;
    const [program = "", ...args] = command;
    const named = names.flatMap((name) => env[name] === undefined ? [] : [[name, env[name]]]);
    const transport = new StdioTransport(this.ports, {
      program,
      args: args.map((word) => word.replaceAll("{tree}", tree)),
      cwd: folder,
      env: { ...childEnv(env), ...Object.fromEntries(named) },
      refuseUnder,
      tag: job,
      contain: {
        step: "servers",
        ...(commonDir !== undefined && { tree, commonDir }),
        outside: this.server.sandbox === "off",
      },
      maxOutputBytes: KEPT_BYTES,
    });
    return {
      transport,
      fault: () => transport.fault,
      said: () => transport.said,
      forgotten: () => false,
      end: () => transport.close(),
    };
  }

  #address(url: string) {
    const { fetch, env, clock } = this.ports;
    const { key_env } = this.server;
    const over = new AbortController();
    const key = key_env === undefined ? undefined : env[key_env];
    let fault: string | undefined;
    let forgotten = false;
    const reached = httpFetch({
      ...{ fetch, url, key, signal: over.signal },
      broken: (why) => fault ??= why,
      forgotten: () => forgotten = true,
    });
    const transport = new HttpTransport({ clock, url, fetch: reached });
    return {
      transport,
      fault: () => fault,
      said: () => "",
      forgotten: () => forgotten,
      async end() {
        await transport.leave();
        over.abort();
      },
    };
  }

  async #end(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    const opened = await connection?.catch(() => undefined);
    await opened?.end();
  }

  #failure(why: string, cause: unknown, again: boolean): Failure {
    // Redacted first: half of a secret is known to no redactor.
    const told = shortened(this.redact(oneLine(why)), WHY_CHARS);
    const remedy = again
      ? "The next call starts it anew. Go on without it if it fails again"
      : "Go on without it";
    return new Failure("failed", `Cannot use the server "${this.name}": ${told}`, {
      cause,
      remedy,
    });
  }
}
