import assert from "node:assert/strict";
import {
  endpointOf,
  type EndpointRules,
  refusalOf,
  type Use,
} from "svc/features/models/choose/allowed_endpoint.ts";
import { registry } from "svc/features/models/choose/registry.ts";

const RULES: EndpointRules = {
  allowedOrigins: [
    "https://gateway.example:8443",
    "http://10.0.0.7:8000/",
    "http://localhost:9000",
  ],
  allowedKeyEnvs: ["OPENAI_API_KEY", "GATEWAY_KEY"],
  configPath: "/home/ada/.svc/config.yaml",
};

Deno.test("endpointOf spells an endpoint in one way, and knows loopback by its literal only", () => {
  const table: readonly [text: string, href: string, loopback: boolean][] = [
    ["http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1", true],
    ["http://127.0.0.1:8080/v1//", "http://127.0.0.1:8080/v1", true],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080/v1", true],
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

type Row = readonly [use: Partial<Use> & { readonly url: string }, refused: RegExp | undefined];

function check(rows: readonly Row[]): void {
  for (const [{ url, ...use }, wanted] of rows) {
    const asked: Use = { owner: "repo", what: "it", ...use, endpoint: endpointOf(url, "it") };
    const refusal = refusalOf(asked, RULES, registry());
    const label = JSON.stringify({ url, ...use });
    if (wanted === undefined) {
      assert.equal(refusal?.message, undefined, label);
      continue;
    }
    assert.equal(refusal?.code, "refused", label);
    assert.match(refusal!.message, wanted, label);
    assert.ok(refusal!.remedy !== "", label);
  }
}

Deno.test("refusalOf: a repo's endpoint is used on loopback and at allowed origins only", () => {
  check([
    [{ url: "http://127.0.0.1:8080/v1" }, undefined],
    [{ url: "http://localhost:11434/v1" }, undefined],
    [{ url: "http://[::1]:8080/v1" }, undefined],
    [{ url: "https://gateway.example:8443/team/v1" }, undefined],
    [{ url: "http://10.0.0.7:8000/v1" }, undefined],
    [{ url: "https://gateway.example/v1" }, /allowed_origins/],
    [{ url: "https://gateway.example:8444/v1" }, /allowed_origins/],
    [{ url: "http://gateway.example:8443/v1" }, /allowed_origins/],
    [{ url: "https://sub.gateway.example:8443/v1" }, /allowed_origins/],
    [{ url: "https://api.openai.com/v1" }, /send this repo's code to "https:\/\/api.openai.com"/],
    [{ url: "http://localhost.evil.example/v1" }, /allowed_origins/],
    [{ url: "http://127.0.0.1.evil.example/v1" }, /allowed_origins/],
    [{ url: "http://0.0.0.0/v1" }, /allowed_origins/],
    [{ url: "http://[::ffff:127.0.0.1]/v1" }, /allowed_origins/],
  ]);
});

Deno.test("refusalOf: the user may name any https endpoint, and plain http where it is allowed", () => {
  check([
    [{ owner: "user", url: "https://anywhere.example/v1" }, undefined],
    [{ owner: "user", url: "http://127.0.0.1:1/v1" }, undefined],
    [{ owner: "user", url: "http://10.0.0.7:8000/v1" }, undefined],
    [{ owner: "user", url: "http://10.0.0.8:8000/v1" }, /could read along/],
    [{ owner: "user", url: "http://localhost.evil.example/v1" }, /could read along/],
  ]);
});

Deno.test("refusalOf: a key goes to its own provider and to allowed origins, encrypted, by its name", () => {
  const key = (keyEnv: string, url: string): Row[0] => ({ keyEnv, url });
  check([
    [{ ...key("OPENAI_API_KEY", "https://api.openai.com/v1"), owner: "user" }, undefined],
    [key("OPENAI_API_KEY", "https://gateway.example:8443/v1"), undefined],
    [key("GATEWAY_KEY", "https://gateway.example:8443/v1"), undefined],
    [
      key("HOME", "https://gateway.example:8443/v1"),
      /"HOME" is not in your models.allowed_key_envs/,
    ],
    [key("SVC_DASHBOARD_CONTROL_SECRET", "http://127.0.0.1:8080/v1"), /allowed_key_envs/],
    [key("GITHUB_TOKEN", "https://gateway.example:8443/v1"), /allowed_key_envs/],
    // A port of this machine that the repo names may be anybody's.
    [key("OPENAI_API_KEY", "http://127.0.0.1:8080/v1"), /would go to "http:\/\/127.0.0.1:8080"/],
    [key("GATEWAY_KEY", "http://127.0.0.1:9000/v1"), undefined],
    [key("GATEWAY_KEY", "http://10.0.0.7:8000/v1"), /unencrypted/],
    [{ ...key("OPENAI_API_KEY", "https://api.anthropic.com/v1"), owner: "user" }, /would go to/],
    [{ ...key("OPENAI_API_KEY", "https://api.openai.com:8443/v1"), owner: "user" }, /would go to/],
    [{ ...key("OPENAI_API_KEY", "http://api.openai.com/v1"), owner: "user" }, /could read along/],
  ]);
});

Deno.test("refusalOf gives the exact edit of the user's config", () => {
  const rules = { ...RULES, allowedOrigins: ["https://a.example"] };
  const use = { owner: "repo", what: "it" } as const;
  const remedyOf = (url: string, keyEnv?: string) =>
    refusalOf({ ...use, keyEnv, endpoint: endpointOf(url, "it") }, rules, registry())?.remedy;
  const edit = "Edit /home/ada/.svc/config.yaml so that it says models: ";
  assert.equal(
    remedyOf("https://b.example/v1"),
    `${edit}{allowed_origins: ["https://a.example", "https://b.example"]}`,
  );
  assert.equal(
    remedyOf("https://a.example/v1", "ACME_KEY"),
    `${edit}{allowed_key_envs: ["OPENAI_API_KEY", "GATEWAY_KEY", "ACME_KEY"]}`,
  );
});
