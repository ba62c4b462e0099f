import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { openaiClient } from "svc/features/models/client/client.ts";
import { preflight } from "svc/features/models/local/preflight.ts";
import { type ModelEndpoint, modelEndpoint, type OtherPaths } from "tests/kit/model_endpoint.ts";
import { hastyClock, route, UNHURRIED } from "tests/unit/features/models/asking.ts";

const look = (url: string, model: string) =>
  preflight({
    clock: hastyClock(),
    redact: (text) => text,
    signal: new AbortController().signal,
    connect: (plan) => openaiClient({ ...plan, random: () => 0 }),
    limits: UNHURRIED,
  }, route(url, { model }));

async function failure(url: string, model: string): Promise<Failure> {
  try {
    await look(url, model);
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
  throw new Error("the preflight passed");
}

/** Answers chats below `/bare`, and a question for models as `list` does. */
function bare(list: () => Response): { readonly endpoint: ModelEndpoint; readonly url: string } {
  const paths: Record<string, OtherPaths[string]> = { "/bare/models": list };
  const endpoint = modelEndpoint({}, { paths });
  paths["/bare/chat/completions"] = async (request) =>
    await fetch(`${endpoint.url}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: await request.text(),
    });
  return { endpoint, url: endpoint.url.replace("/v1", "/bare") };
}

const LISTS: readonly (readonly [what: string, list: () => Response])[] = [
  ["404", () => Response.json({ detail: "Not Found" }, { status: 404 })],
  ["405", () => new Response(null, { status: 405 })],
  ["501", () => new Response("Unsupported method ('GET')", { status: 501 })],
  ["a list without data", () => Response.json({ object: "list" })],
  ["null", () => Response.json(null)],
];

for (const [what, list] of LISTS) {
  Deno.test(`a server that answers ${what} to /models is asked for the model that was named`, async () => {
    const { endpoint, url } = bare(list);
    await using _open = endpoint;
    const { profile, route: taken, notes } = await look(url, "qwen3");
    assert.deepEqual([taken.model, profile.tools, profile.evidence], ["qwen3", "native", "live"]);
    assert.equal(profile.contextWindow, 8_192);
    assert.ok(notes.includes(`"${url}" lists no models: taking "qwen3" as it was named`));
    assert.equal(endpoint.probes.length, 1);
    assert.equal(endpoint.probes[0]!.request.model, "qwen3");
  });

  Deno.test(`where none is named, ${what} for /models says how to name one`, async () => {
    const { endpoint, url } = bare(list);
    await using _open = endpoint;
    const { code, message, remedy } = await failure(url, "");
    assert.equal(code, "environment");
    assert.match(message, /^Cannot list the models at "http:.*\/bare": /);
    assert.ok(remedy.includes(`name the model: ${url}#<model>; run svc setup`), remedy);
    assert.equal(endpoint.probes.length, 0);
  });
}

Deno.test("a server that refuses the question is not taken for one without a list", async () => {
  for (const [status, why] of [[401, /refused the key/], [500, /answered 500/]] as const) {
    const { endpoint, url } = bare(() => new Response(null, { status }));
    await using _open = endpoint;
    const { message } = await failure(url, "qwen3");
    assert.match(message, why);
    assert.equal(endpoint.probes.length, 0);
  }
});

Deno.test("where neither models nor chats are found, the base URL is wrong", async () => {
  await using endpoint = modelEndpoint({});
  const { message, remedy } = await failure(endpoint.url.replace("/v1", "/elsewhere"), "qwen3");
  assert.match(message, /it answered 404 to "\/models"$/);
  assert.match(remedy, /^Give the base URL, such as http:\/\/127\.0\.0\.1:\d+\/v1; run svc setup/);
});

Deno.test("a base URL that was given already is not proposed", async () => {
  const nothing = () => new Response("404 page not found", { status: 404 });
  await using http = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, nothing);
  const { remedy } = await failure(`http://127.0.0.1:${http.addr.port}/v1`, "qwen3");
  assert.match(remedy, /^Give the base URL that the server's documents name; run svc setup/);
});

/** Servers without a list that do not have the model: Cohere's compatibility API, GitHub Models, Azure, Databricks. */
const NO_SUCH_MODEL: readonly object[] = [
  { message: "model 'qwen3' not found, make sure the correct model ID was used" },
  { error: { code: "unknown_model", message: "Unknown model: qwen3" } },
  { error: { code: "DeploymentNotFound", message: "The API deployment does not exist." } },
  { error_code: "ENDPOINT_NOT_FOUND", message: "The endpoint 'qwen3' does not exist." },
];

for (const said of NO_SUCH_MODEL) {
  Deno.test(`a server without a list that does not have the model is not told as a wrong path: ${JSON.stringify(said)}`, async () => {
    const chat = () => Response.json(said, { status: 404 });
    await using endpoint = modelEndpoint({}, { paths: { "/bare/chat/completions": chat } });
    const { message, remedy } = await failure(endpoint.url.replace("/v1", "/bare"), "qwen3");
    assert.match(
      message,
      /^Cannot ask the model "qwen3" at .*: it answered 404: ".*(?:exist|model)/,
    );
    assert.doesNotMatch(remedy, /base URL/);
  });
}
