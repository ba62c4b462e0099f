import assert from "node:assert/strict";
import { namedEndpoint } from "svc/features/models/choose/named_endpoint.ts";

Deno.test("namedEndpoint takes the endpoint and the model that a person names", () => {
  const rows = [
    ["http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1", "", 0],
    ["http://localhost:11434#qwen3-coder:30b", "http://127.0.0.1:11434/v1", "qwen3-coder:30b", 0],
    ["http://127.0.0.1:1234/v1#", "http://127.0.0.1:1234/v1", "", 0],
    ["https://models.example/v1#a#b", "https://models.example/v1", "a#b", 0],
    ["http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1", "", 0],
    // Not encrypted, and beyond this machine.
    ["http://192.168.1.20:8000/v1", "http://192.168.1.20:8000/v1", "", 1],
    ["http://[fd00::2]:8000/v1#m", "http://[fd00::2]:8000/v1", "m", 1],
    ["http://gpu.lan:8000", "http://gpu.lan:8000/v1", "", 1],
    ["http://localhost.evil.example/v1", "http://localhost.evil.example/v1", "", 1],
    // What servers print: there they listen, and on this machine they are reached.
    ["http://0.0.0.0:8000/v1#m", "http://127.0.0.1:8000/v1", "m", 1],
    ["http://0:8000", "http://127.0.0.1:8000/v1", "", 1],
    ["http://[::]:8000/v1", "http://[::1]:8000/v1", "", 1],
  ] as const;
  for (const [typed, href, model, warnings] of rows) {
    const named = namedEndpoint(typed);
    assert.deepEqual(
      [named.endpoint.href, named.model, named.warnings.length],
      [href, model, warnings],
      typed,
    );
    assert.equal(new URL(href).origin, named.endpoint.origin);
  }
});

Deno.test("namedEndpoint says what a person should know of the network and of the address", () => {
  const texts = (typed: string) => namedEndpoint(typed).warnings.map(({ text }) => text);
  assert.match(texts("http://10.0.0.8:8000/v1")[0]!, /"http:\/\/10\.0\.0\.8:8000" can read/);
  assert.match(texts("http://10.0.0.8:8000/v1")[0]!, /not encrypted, and gets no key/);
  assert.deepEqual(texts("http://0.0.0.0:8000/v1"), [
    '"http://0.0.0.0:8000" is where a server listens; "http://127.0.0.1:8000" is asked',
  ]);
});

Deno.test("namedEndpoint refuses what is no endpoint as wrong usage, and shows none of it", () => {
  const wrong = [
    ...[
      "nonsense",
      "127.0.0.1:8080",
      "http://",
      "ftp://s3cret/v1",
      "http://127.0.0.1:99999/s3cret",
    ],
    ...["#s3cret", "", "http://ada:s3cret@127.0.0.1/v1", "http://127.0.0.1/v1?key=s3cret#m"],
    "http://127.0.0.1/v1#s3cret\u001b[2J",
  ];
  for (const typed of wrong) {
    assert.throws(() => namedEndpoint(typed), (thrown: Error & { code: string }) => {
      assert.equal(thrown.code, "usage", typed);
      assert.match(thrown.message, /^Cannot use --model-endpoint: /);
      assert.ok(!thrown.message.includes("s3cret"), thrown.message);
      return true;
    });
  }
});
