/** An MCP server over stdio that misbehaves as its argument says; written against the protocol's text alone. */
import process from "node:process";
import { createInterface } from "node:readline";

const fault = Deno.args[0] ?? "";
// A line of its own, before any message.
console.log("bad server is starting");
if (fault === "dies-at-once") {
  console.error(`cannot go on: ${Deno.env.get("BAD_TOKEN") ?? "no token"}`);
  Deno.exit(3);
}

const say = (message: object) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const forever = () => new Promise<never>(() => setInterval(() => {}, 1 << 30));

const SCHEMA = { type: "object", properties: { text: { type: "string" } } };

const field = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } } });

/** Lists that real servers have, none of which the SDK takes. */
const ODD_TOOLS = [
  { name: "act", inputSchema: SCHEMA, description: null, annotations: null },
  // A union of npm fastmcp 4.20: z.discriminatedUnion as `parameters`.
  { name: "union", inputSchema: { anyOf: [field("a"), field("b")] } },
  // Null for an empty map or list of Go (encoding/json).
  { name: "go", inputSchema: { type: "object", properties: null, required: null } },
  { name: "bare" },
  { name: "rows", inputSchema: SCHEMA, outputSchema: { type: "array" } },
  { name: "text", inputSchema: { type: "string" } },
  // `simulate-research-query` of npm @modelcontextprotocol/server-everything.
  { name: "task", inputSchema: SCHEMA, execution: { taskSupport: "required" } },
  { inputSchema: SCHEMA },
  "act",
];

function tools(): unknown[] {
  const named = (name: string, more: object = {}) => ({ name, inputSchema: SCHEMA, ...more });
  const deep: Record<string, unknown> = {};
  for (let at = deep, left = 40; left > 0; left--) at = at["properties"] = {};
  if (fault === "odd-list") return ODD_TOOLS;
  if (fault === "forgets-its-schema") return [named("act", { outputSchema: SCHEMA })];
  if (fault !== "bad-list") return [named("act", { description: "Acts \u202e\u001b[31mnow" })];
  return [
    named("act"),
    named("a.ct"),
    named("a ct"),
    named("x".repeat(80)),
    named("deep", { inputSchema: { type: "object", properties: { a: deep } } }),
    named("no-fields", { inputSchema: { type: "object", properties: { a: "text" } } }),
    named("large", { inputSchema: { ...SCHEMA, title: "t".repeat(50_000) } }),
    ...Array.from({ length: 100 }, (_, at) => named(`more${at}`)),
  ];
}

/** More than half of what an answer may have, and a request of its own; again once svc has answered that. */
function ping(): void {
  const text = "x".repeat(1024 * 1024);
  for (let part = 0; part < 5; part++) say({ method: "notifications/message", params: { text } });
  say({ id: "ping", method: "ping" });
}

async function call(id: unknown, text: string): Promise<void> {
  if (fault === "hangs") await forever();
  if (fault === "dies") Deno.exit(9);
  if (fault === "refuses") {
    return say({ id, error: { code: -32602, message: 'Invalid arguments: "text" is too short' } });
  }
  if (fault === "chats") { for (let at = 0; at < 60; at++) console.log(`debug: step ${at}`); }
  if (fault === "long-answer") text = "x".repeat(5 * 1024 * 1024);
  if (fault === "odd-answer") return say({ id, result: JSON.parse(text) });
  if (fault === "lies") return say({ id, result: { content: "not a list", isError: "no" } });
  if (fault === "floods") { for (;;) say({ method: "notifications/message", params: { text } }); }
  if (fault === "pings") return ping();
  if (fault === "one-long-line") {
    const part = new Uint8Array(65_536).fill(120);
    for (;;) await Deno.stdout.write(part);
  }
  if (fault === "garbage") { for (let at = 0; at < 500; at++) console.log(`line ${at}`); }
  if (fault === "leaves-children") {
    const child = new Deno.Command("setsid", { args: ["sleep", "1000"], stdout: "null" }).spawn();
    child.unref();
    text = `pid ${child.pid}`;
  }
  if (fault === "asks-back") say({ id: "s1", method: "sampling/createMessage", params: {} });
  if (fault === "nests") {
    const wire = `${"[".repeat(3_000)}${"1,".repeat(5_000)}1${"]".repeat(3_000)}`;
    const structuredContent = { wire: JSON.parse(wire) };
    return say({ id, result: { content: [], structuredContent } });
  }
  const env = JSON.stringify(Deno.env.toObject());
  const said = fault === "tells" ? `${env} ${Deno.cwd()} ${Deno.args.join(" ")}` : `did ${text}`;
  say({ id, result: { content: [{ type: "text", text: said }] } });
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    const serverInfo = { name: "bad", version: "1" };
    say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") {
    const { cursor } = params ?? {};
    // Neither null nor "" is a cursor; servers in Go write them at the end of a list.
    const odd = fault === "odd-list" ? { nextCursor: cursor === undefined ? "" : null } : {};
    const nextCursor = fault === "one-page" ? { nextCursor: "more" } : odd;
    say({ id, result: { tools: tools(), ...nextCursor } });
  } else if (method === "tools/call") await call(id, String(params.arguments?.text));
  else if (id === "ping") ping();
}
