/**
 * The scripted model as a program: prints its base URL on one line, serves until stdin closes.
 *
 *   deno run -A tests/kit/model_endpoint_program.ts scenario.json [requests.jsonl]
 *
 * The scenario is JSON of the form `Scenario` in `model_scenario.ts`; the requests are
 * written to the second file at the end, one a line, when one is named.
 */
import { modelEndpoint } from "./model_endpoint.ts";

const [scenario, record] = Deno.args;
if (scenario === undefined) {
  console.error("usage: deno run -A tests/kit/model_endpoint_program.ts scenario.json [requests]");
  Deno.exit(2);
}
const endpoint = modelEndpoint(JSON.parse(await Deno.readTextFile(scenario)));
console.log(endpoint.url);
for await (const _ of Deno.stdin.readable) { /* serves until its parent lets go */ }
if (record !== undefined) {
  const lines = endpoint.requests.map(({ text }) => `${text}\n`);
  await Deno.writeTextFile(record, lines.join(""));
}
await endpoint[Symbol.asyncDispose]();
