import assert from "node:assert/strict";
import {
  type EndpointRules,
  type EndpointUse,
  refusalOf,
} from "svc/features/models/choose/allowed_endpoint.ts";
import { endpointOf } from "svc/features/models/client/endpoint.ts";
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

type Row = readonly [
  use: Partial<EndpointUse> & { readonly url: string },
  refused: RegExp | undefined,
];

function check(rows: readonly Row[]): void {
  for (const [{ url, ...use }, wanted] of rows) {
    const asked: EndpointUse = {
      owner: "repo",
      what: "it",
      ...use,
      endpoint: endpointOf(url, "it"),
    };
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

Deno.test("refusalOf: a person may name any endpoint, but with a key none that is not encrypted", () => {
  const key = { owner: "user", keyEnv: "OPENAI_API_KEY" } as const;
  check([
    [{ owner: "user", url: "https://anywhere.example/v1" }, undefined],
    [{ owner: "user", url: "http://127.0.0.1:1/v1" }, undefined],
    [{ owner: "user", url: "http://10.0.0.7:8000/v1" }, undefined],
    [{ owner: "user", url: "http://10.0.0.8:8000/v1" }, undefined],
    [{ owner: "user", url: "http://localhost.evil.example/v1" }, undefined],
    [{ owner: "repo", url: "http://10.0.0.8:8000/v1" }, /allowed_origins/],
    [{ ...key, url: "http://10.0.0.7:8000/v1" }, /unencrypted/],
    [{ ...key, url: "http://10.0.0.8:8000/v1" }, /unencrypted/],
    [{ ...key, url: "http://localhost.evil.example/v1" }, /unencrypted/],
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
    [key("SVC_DASHBOARD_CONTROL_SECRET", "http://127.0.0.1:8080/v1"), /a credential of svc/],
    [key("GITHUB_TOKEN", "https://gateway.example:8443/v1"), /a credential of svc/],
    // A port of this machine that the repo names may be anybody's.
    [key("OPENAI_API_KEY", "http://127.0.0.1:8080/v1"), /would go to "http:\/\/127.0.0.1:8080"/],
    [key("GATEWAY_KEY", "http://127.0.0.1:9000/v1"), undefined],
    [key("GATEWAY_KEY", "http://10.0.0.7:8000/v1"), /unencrypted/],
    [{ ...key("OPENAI_API_KEY", "https://api.anthropic.com/v1"), owner: "user" }, /would go to/],
    [{ ...key("OPENAI_API_KEY", "https://api.openai.com:8443/v1"), owner: "user" }, /would go to/],
    [{ ...key("OPENAI_API_KEY", "http://api.openai.com/v1"), owner: "user" }, /unencrypted/],
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
