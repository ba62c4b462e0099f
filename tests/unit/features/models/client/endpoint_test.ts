import assert from "node:assert/strict";
import { endpointOf } from "svc/features/models/client/endpoint.ts";

Deno.test("endpointOf spells an endpoint in one way, and knows loopback by its literal only", () => {
  const table: readonly [text: string, href: string, loopback: boolean][] = [
    ["http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1", true],
    ["http://127.0.0.1:8080/v1//", "http://127.0.0.1:8080/v1", true],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080/v1", true],
    ["http://127.0.0.1:8080/v1/chat/completions/", "http://127.0.0.1:8080/v1", true],
    ["HTTP://LOCALHOST:11434/", "http://127.0.0.1:11434/v1", true],
    ["http://[::1]:1234/v1", "http://[::1]:1234/v1", true],
    ["http://127.9.9.9/v1", "http://127.9.9.9/v1", true],
    // Other spellings of the same number (WHATWG URL, IPv4 parser).
    ["http://0x7f.1:80/v1", "http://127.0.0.1/v1", true],
    ["http://2130706433/v1", "http://127.0.0.1/v1", true],
    ["https://api.openai.com/v1", "https://api.openai.com/v1", false],
    ["https://API.openai.com:443/v1", "https://api.openai.com/v1", false],
    // Names and addresses that only seem to be loopback.
    ["http://localhost.evil.example/v1", "http://localhost.evil.example/v1", false],
    ["http://localhost./v1", "http://localhost./v1", false],
    ["http://foo.localhost/v1", "http://foo.localhost/v1", false],
    ["http://127.0.0.1.evil.example/v1", "http://127.0.0.1.evil.example/v1", false],
    ["http://127.0.0.1.nip.io/v1", "http://127.0.0.1.nip.io/v1", false],
    ["http://0.0.0.0:8080/v1", "http://0.0.0.0:8080/v1", false],
    ["http://[::]:8080/v1", "http://[::]:8080/v1", false],
    ["http://[::ffff:127.0.0.1]/v1", "http://[::ffff:7f00:1]/v1", false],
    ["http://128.0.0.1/v1", "http://128.0.0.1/v1", false],
  ];
  for (const [text, href, loopback] of table) {
    const endpoint = endpointOf(text, "it");
    assert.deepEqual([endpoint.href, endpoint.loopback], [href, loopback], text);
    assert.equal(endpoint.origin, new URL(href).origin, text);
  }
});

Deno.test("endpointOf refuses what could hide a key or mean two things, and shows none of it", () => {
  const table = [
    ["https://ada:s3cret@api.openai.com/v1", "user name"],
    ["https://s3cret@api.openai.com/v1", "user name"],
    ["https://@api.openai.com/v1", "user name"],
    ["http://127.0.0.1:8080@s3cret.example/v1", "user name"],
    ["https://api.openai.com/v1?key=s3cret", '"\\?"'],
    ["https://api.openai.com/v1?", '"\\?"'],
    ["https://api.openai.com/v1#s3cret", '"#"'],
    ["file:///etc/s3cret", "http"],
    ["ftp://s3cret.example/", "http"],
    ["javascript:s3cret", "http"],
    ["//s3cret.example/v1", "http"],
    ["https:s3cret.example", "http"],
    ["https:/s3cret.example", "http"],
    ["https:///s3cret.example", "http"],
    ["https:\\\\s3cret.example", "backslash"],
    ["https://127.0.0.1\\@s3cret.example", "backslash"],
    [" https://s3cret.example", "space"],
    ["https://s3cret.example/v1\n", "space"],
    ["ht\ttps://s3cret.example", "space"],
    ["https://s3cret\u200b.example", "invisible"],
    ["https://exa mple.com", "space"],
    ["https://127.0.0.1:99999/s3cret", "no URL"],
    ["https://1.2.3.4.5/s3cret", "no URL"],
    [`https://example.com/${"s3cret".repeat(500)}`, "longer"],
    ["", "http"],
  ] as const;
  for (const [text, why] of table) {
    assert.throws(() => endpointOf(text, "it"), (thrown: Error & { code: string }) => {
      assert.equal(thrown.code, "usage", text);
      assert.match(thrown.message, new RegExp(`^Cannot use it: .*${why}`), text);
      assert.ok(!thrown.message.includes("s3cret"), thrown.message);
      return true;
    });
  }
  assert.throws(() => endpointOf("", "it", "refused"), { code: "refused" });
});
