/**
 * The servers that how-to pages speak of, in a network of a test's own: opens those that are named, runs
 * `bash <folder>/page.sh` beside them, and ends as that ended.
 *
 *   deno run -A tests/kit/howto_program.ts <folder> [model|openai …]
 *
 * `model` is the demo's at port 8080; `openai` is api.openai.com, with the cert and key of the folder.
 */
import { DEMO } from "demo/model.ts";
import { modelEndpoint } from "./model_endpoint.ts";
import { openaiResponses } from "./servers/openai_responses.ts";
import { openZoo } from "./servers/zoo.ts";
import { finish, turns } from "tests/unit/runtime/team.ts";

const [folder = "", ...named] = Deno.args;
await using open = new AsyncDisposableStack();
if (named.includes("model")) open.use(modelEndpoint(DEMO, { port: 8080 }));
if (named.includes("openai")) {
  const beside = (file: string) => Deno.readTextFile(`${folder}/${file}`);
  const tls = { key: await beside("key"), cert: await beside("cert") };
  const scenario = { roles: { ceo: turns(finish("no_work")) } };
  open.use(await openZoo(openaiResponses(), scenario, { port: 443, tls }));
}
const { code } = await new Deno.Command("bash", { args: [`${folder}/page.sh`] }).spawn().status;
Deno.exitCode = code;
