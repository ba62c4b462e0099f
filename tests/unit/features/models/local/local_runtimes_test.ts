import assert from "node:assert/strict";
import { MODEL_LIST_BYTES } from "svc/core/bounds.ts";
import { listServed, MODELS_LISTED } from "svc/features/models/local/local_runtimes.ts";
import { certificateFor } from "tests/kit/servers/nginx_files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { registry } from "svc/features/models/choose/registry.ts";

const NEVER = new AbortController().signal;

/** A server on loopback that records what it was asked. */
function server(answer: (request: Request) => Response) {
  const asked: { url: string; method: string; headers: Headers }[] = [];
  const running = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { url, method, headers } = request;
    asked.push({ url, method, headers: new Headers(headers) });
    return answer(request);
  });
  return {
    asked,
    endpoint: `http://127.0.0.1:${running.addr.port}/v1`,
    [Symbol.asyncDispose]: () => running.shutdown(),
  };
}

async function list(endpoint: string, signal = NEVER) {
  return await listServed(
    { fetch, signal },
    { runtime: "ollama", endpoint },
    registry(),
  );
}

Deno.test("listServed reads OpenAI's list, with the window where a server tells it", async () => {
  await using served = server(() =>
    Response.json({
      object: "list",
      data: [
        { id: "qwen3:4b", object: "model", created: 1, owned_by: "library" },
        { id: "vllm-model", max_model_len: 32768 },
        { id: "gguf", meta: { n_ctx_train: 131072 } },
        { id: 7 },
        "nonsense",
      ],
    })
  );
  assert.deepEqual(await list(served.endpoint), {
    endpoint: served.endpoint,
    models: [
      { id: "qwen3:4b", owned_by: "library" },
      { id: "vllm-model", context_window: 32768 },
      { id: "gguf", context_window: 131072 },
    ],
    more: 0,
  });
  const [request] = served.asked;
  assert.equal(request!.url, `${served.endpoint}/models`);
  assert.equal(request!.method, "GET");
  for (const name of ["authorization", "cookie", "origin"]) {
    assert.equal(request!.headers.get(name), null, name);
  }
});

Deno.test("listServed counts what it does not list", async () => {
  const data = Array.from({ length: MODELS_LISTED + 3 }, (_, at) => ({ id: `m${at}` }));
  await using served = server(() => Response.json({ data }));
  const { models, more } = await list(served.endpoint);
  assert.deepEqual([models.length, more], [MODELS_LISTED, 3]);
});

Deno.test("listServed says who does not answer as a model server, and follows nobody", async () => {
  await using other = server(() => Response.json({ data: [] }));
  const table: readonly [answer: () => Response, why: RegExp][] = [
    [() => new Response("no", { status: 404 }), /status 404/],
    [() => Response.redirect(`${other.endpoint}/models`, 302), /status 302/],
    [() => new Response("<html>"), /is no model server/],
    [() => Response.json({ models: [] }), /is no model server/],
    [() => Response.json(null), /is no model server/],
    [() => new Response(new Uint8Array(MODEL_LIST_BYTES + 1)), /is no model server/],
  ];
  for (const [answer, why] of table) {
    await using served = server(answer);
    await assert.rejects(
      list(served.endpoint),
      (thrown: Error & { code: string; remedy: string }) => {
        assert.equal(thrown.code, "environment");
        assert.match(thrown.message, why);
        assert.match(thrown.remedy, /^Start it: ollama serve/);
        return true;
      },
    );
  }
  assert.equal(other.asked.length, 0);
});

Deno.test("listServed asks this machine only", async () => {
  const fetch = () => assert.fail("something was asked");
  for (
    const endpoint of [
      "https://api.openai.com/v1",
      "http://localhost.evil.example/v1",
      "http://10.0.0.1/v1",
    ]
  ) {
    const asked = { runtime: "ollama", endpoint } as const;
    await assert.rejects(listServed({ fetch, signal: NEVER }, asked, registry()), {
      code: "usage",
      message: "Cannot list models: --endpoint is not on this machine",
    });
  }
});

Deno.test("listServed stops when it is told to", async () => {
  const stop = new AbortController();
  await using served = server(() => {
    stop.abort(new Error("told to stop"));
    return Response.json({ data: [] });
  });
  await assert.rejects(list(served.endpoint, stop.signal), /told to stop/);
});

Deno.test("a server whose certificate nobody trusts here is told as that, and not as away", async () => {
  await using folder = await tempFolder();
  const tls = await certificateFor("127.0.0.1", folder.path);
  const running = Deno.serve({
    ...{ hostname: "127.0.0.1", port: 0, onListen() {} },
    cert: await Deno.readTextFile(tls.certificate),
    key: await Deno.readTextFile(tls.key),
  }, () => Response.json({ data: [] }));
  await assert.rejects(list(`https://127.0.0.1:${running.addr.port}/v1`), {
    code: "environment",
    message: /\/v1": its certificate is /,
    remedy: /set DENO_CERT to the CA's certificate /,
  });
  await running.shutdown();
});
