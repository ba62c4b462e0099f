/**
 * Strict model servers where people have them, for a network of a test's own: opens those that are named, runs
 * `sh <script>` beside them on the same terminal, prints what they refused, and ends as the script ended.
 *
 *   deno run -A tests/kit/usual_ports_program.ts <script> [ollama|web|openai …]
 *
 * `openai` is api.openai.com, whose certificate and key are beside the script: openai.crt, openai.key.
 */
import { ollama } from "./servers/ollama.ts";
import { openaiResponses } from "./servers/openai_responses.ts";
import { type OpenZoo, openZoo } from "./servers/zoo.ts";
import { finish, turns } from "tests/unit/runtime/team.ts";

const [script = "", ...named] = Deno.args;
const beside = (file: string) => Deno.readTextFile(`${script.replace(/[^/]*$/, "")}${file}`);
const scenario = { roles: { ceo: turns(finish("no_work")) } };

const OPEN: Readonly<Record<string, () => Promise<OpenZoo>>> = {
  ollama: () => openZoo(ollama({ tools: true }), scenario, { port: 11_434 }),
  openai: async () => {
    const tls = { key: await beside("openai.key"), cert: await beside("openai.crt") };
    return await openZoo(openaiResponses(), scenario, { port: 443, tls });
  },
};

await using open = new AsyncDisposableStack();
const servers: OpenZoo[] = [];
for (const name of named.filter((name) => OPEN[name] !== undefined)) {
  servers.push(open.use(await OPEN[name]!()));
}
// A developer's own page answers at 8000, as on many machines.
if (named.includes("web")) {
  const page = () => new Response("<h1>my app</h1>", { headers: { "content-type": "text/html" } });
  open.use(Deno.serve({ hostname: "127.0.0.1", port: 8_000, onListen() {} }, page));
}
// Ctrl-C is meant for what the script runs.
Deno.addSignalListener("SIGINT", () => {});
const { code } = await new Deno.Command("sh", { args: [script] }).spawn().status;
for (const server of servers) {
  for (const refusal of await server.refusals()) console.log(`refused: ${refusal}`);
}
Deno.exitCode = code;
