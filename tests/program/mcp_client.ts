/** A client of a real `svc mcp serve` over its pipes; it notes every line that the server writes. */
import { svcCommand } from "tests/kit/script.ts";
import { within } from "tests/kit/within.ts";
import { type TempFolder, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

export interface Answer {
  readonly id: string | number | null;
  // deno-lint-ignore no-explicit-any -- an answer's shape is what the tests look at
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Said extends Answer {
  readonly jsonrpc: "2.0";
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface McpClient extends AsyncDisposable {
  readonly pid: number;
  /** Writes bytes as they are. */
  raw(text: string | Uint8Array): Promise<void>;
  /** Writes one message. */
  say(message: unknown): Promise<void>;
  /** Asks and waits for the answer with the same id. */
  ask(method: string, params?: unknown): Promise<Answer>;
  call(name: string, args?: unknown): Promise<Answer>;
  /** The first line, already said or to come, that fits. @throws when the server ended before */
  until(fits: (line: Said) => boolean): Promise<Said>;
  /** Waits for the first batch, and gives it. */
  batch(): Promise<readonly Said[]>;
  /** Shakes hands as a client of 2025 does. */
  initialize(version?: string): Promise<Answer>;
  /** All lines so far, parsed; a batch is a list. */
  readonly lines: readonly (Said | readonly Said[])[];
  /** Ends its input and waits for its end. */
  close(): Promise<{ readonly code: number; readonly stderr: string }>;
  /** Waits for its end. */
  ended(): Promise<{ readonly code: number; readonly stderr: string }>;
  /** Stops reading what it writes, for good. */
  leave(): Promise<void>;
  kill(signal: Deno.Signal): void;
}

export interface ClientPlan {
  readonly repo: string;
  readonly home: string;
  readonly flags?: readonly string[];
  /** Does not read what the server writes before this resolves. */
  readonly readFrom?: Promise<void>;
}

export const HOST = ["--execution-profile", "host", "--acknowledge-host-execution"];

export function mcpClient({ repo, home, flags = [], readFrom }: ClientPlan): McpClient {
  const [program, ...args] = svcCommand();
  const child = new Deno.Command(program, {
    args: [...args, "mcp", "serve", "--repo", repo, ...flags],
    env: { SVC_HOME: home },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const input = child.stdin.getWriter();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const stderr = new Response(child.stderr).text();
  const encoder = new TextEncoder();
  const lines: (Said | readonly Said[])[] = [];
  let news = Promise.withResolvers<void>();
  let over = false;
  let ids = 0;

  const reading = (async () => {
    await readFrom;
    let rest = "";
    while (true) {
      const { done, value } = await output.read();
      if (done) break;
      const parts = (rest + value).split("\n");
      rest = parts.pop()!;
      lines.push(...parts.map((line) => JSON.parse(line)));
      news.resolve();
      news = Promise.withResolvers();
    }
    if (rest !== "") throw new Error(`half a line: ${rest}`);
  })().finally(() => {
    over = true;
    news.resolve();
  });
  reading.catch(() => {}); // told by ended()

  async function arrived(fits: (line: Said | readonly Said[]) => boolean) {
    for (let seen = 0;;) {
      for (; seen < lines.length; seen++) if (fits(lines[seen]!)) return lines[seen]!;
      if (over) throw new Error(`The server ended; it said: ${await stderr}`);
      await within(news.promise, () => `${lines.length} lines`);
    }
  }

  const client: McpClient = {
    pid: child.pid,
    lines,
    raw: (text) => input.write(typeof text === "string" ? encoder.encode(text) : text),
    say: (message) => client.raw(`${JSON.stringify(message)}\n`),
    async ask(method, params) {
      const id = ++ids;
      await client.say({ jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) });
      return await client.until((line) => line.id === id && line.method === undefined);
    },
    call: (name, args = {}) => client.ask("tools/call", { name, arguments: args }),
    until: async (fits) =>
      await arrived((line) => !Array.isArray(line) && fits(line as Said)) as Said,
    batch: async () => await arrived(Array.isArray) as readonly Said[],
    async initialize(version = "2025-11-25") {
      const clientInfo = { name: "test", version: "1" };
      const asked = { protocolVersion: version, capabilities: {}, clientInfo };
      const answer = await client.ask("initialize", asked);
      await client.say({ jsonrpc: "2.0", method: "notifications/initialized" });
      return answer;
    },
    async close() {
      await input.close().catch(() => {}); // it may have ended first
      return await client.ended();
    },
    async ended() {
      const [{ code }] = await Promise.all([child.status, reading]);
      return { code, stderr: await stderr };
    },
    async leave() {
      await output.cancel();
    },
    kill: (signal) => child.kill(signal),
    async [Symbol.asyncDispose]() {
      await client.close().catch(() => {}); // the test has looked at what matters
      await input.closed.catch(() => {});
    },
  };
  return client;
}

/** A server on a repo of its own, with a home of its own. */
export interface Served extends AsyncDisposable {
  readonly repo: TempRepo;
  readonly client: McpClient;
}

interface RepoPlan {
  readonly flags?: readonly string[];
  readonly readFrom?: Promise<void>;
  readonly files?: Readonly<Record<string, string>>;
}

export async function served({ files, ...plan }: RepoPlan = {}): Promise<Served> {
  const repo = await tempRepo({ files: { "README.md": "# Shop\n", ...files }, commit: true });
  const home: TempFolder = await tempFolder();
  const client = mcpClient({ repo: repo.path, home: `${home.path}/svc`, ...plan });
  return {
    ...{ repo, client },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}
