/**
 * Strict model servers at the ports that people have them at, for a network of a test's own: opens those that are
 * named, runs `sh <script>` beside them on the same terminal, prints what the servers refused, and ends as it ended.
 *
 *   deno run -A tests/kit/usual_ports_program.ts <script> [ollama|lm-studio|web …]
 */
import { lmStudio } from "./servers/lm_studio.ts";
import { ollama } from "./servers/ollama.ts";
import { openZoo } from "./servers/zoo.ts";
import { finish, turns } from "tests/unit/runtime/team.ts";

const NO_WORK = { roles: { ceo: turns(finish("no_work")) } };

const OPEN = {
  ollama: () => openZoo(ollama({ tools: true }), NO_WORK, 11_434),
  "lm-studio": () => openZoo(lmStudio({ v1: true }), NO_WORK, 1_234),
} as const;

const [script, ...named] = Deno.args;
await using open = new AsyncDisposableStack();
const servers = await Promise.all(
  Object.entries(OPEN).filter(([name]) => named.includes(name)).map(async ([, server]) =>
    open.use(await server())
  ),
);
// A developer's own web page answers at 8000, as on many machines.
if (named.includes("web")) {
  const page = () => new Response("<h1>my app</h1>", { headers: { "content-type": "text/html" } });
  open.use(Deno.serve({ hostname: "127.0.0.1", port: 8_000, onListen() {} }, page));
}
// Ctrl-C is meant for the script.
Deno.addSignalListener("SIGINT", () => {});
const { code } = await new Deno.Command("sh", { args: [script!] }).spawn().status;
for (const server of servers) {
  for (const refusal of await server.refusals()) console.log(`refused: ${refusal}`);
}
Deno.exitCode = code;
