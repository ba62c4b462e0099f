import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { type RoutingFlags, routingOf, routingText } from "svc/features/harness/model_routing.ts";
import { parseDocument } from "svc/platform/yaml.ts";

const NOTHING: RoutingFlags = {
  modelRouting: undefined,
  localBundle: undefined,
  cloudProvider: undefined,
  cloudModel: undefined,
  cloudEndpoint: undefined,
  apiKeyEnv: undefined,
};
const CLOUD: RoutingFlags = {
  ...NOTHING,
  modelRouting: "cloud",
  cloudProvider: "acme",
  cloudModel: "m-1",
  cloudEndpoint: "https://acme.example/v1/",
  apiKeyEnv: "ACME_KEY",
};

Deno.test("routingOf leaves it open, or takes the bundle that fits", () => {
  assert.deepEqual(routingOf(NOTHING), { mode: "defer" });
  assert.deepEqual(routingOf({ ...NOTHING, modelRouting: "local" }), {
    mode: "local",
    bundle: "auto",
  });
});

Deno.test("routingOf knows where the usual providers are, and whose key they take", () => {
  const asked: RoutingFlags = {
    ...NOTHING,
    modelRouting: "cloud",
    cloudProvider: "anthropic",
    cloudModel: "m",
  };
  assert.deepEqual(routingOf(asked), {
    mode: "cloud",
    provider: "anthropic",
    model: "m",
    endpoint: "https://api.anthropic.com/v1",
    api_key_env: "ANTHROPIC_API_KEY",
  });
  assert.throws(() => routingOf({ ...asked, cloudProvider: "constructor" }), {
    message: /--cloud-endpoint is missing/,
  });
});

Deno.test("routingText reads back as what was asked for", () => {
  const routing = routingOf(CLOUD);
  assert.deepEqual(parseDocument(routingText(routing)).toJS(), {
    version: 1,
    mode: "cloud",
    cloud: {
      provider: "acme",
      model: "m-1",
      endpoint: "https://acme.example/v1",
      api_key_env: "ACME_KEY",
    },
  });
});

Deno.test("routingOf takes plain http for loopback alone", () => {
  for (const endpoint of ["http://127.0.0.1:8080/v1", "http://[::1]:8080/v1"]) {
    assert.ok(routingOf({ ...CLOUD, cloudEndpoint: endpoint }));
  }
});

const REFUSED: readonly (readonly [Partial<RoutingFlags>, Failure["code"], RegExp])[] = [
  [{ cloudProvider: undefined }, "answer_needed", /--cloud-provider/],
  [{ cloudModel: undefined }, "answer_needed", /--cloud-model/],
  [{ cloudEndpoint: undefined }, "answer_needed", /--cloud-endpoint/],
  [{ apiKeyEnv: undefined }, "answer_needed", /--api-key-env/],
  [{ apiKeyEnv: "GITHUB_TOKEN" }, "usage", /"GITHUB_TOKEN" is a credential of svc or of the code/],
  [{ apiKeyEnv: "sk-0123456789abcdef" }, "usage", /^(?!.*sk-0123456789abcdef)/],
  [{ cloudEndpoint: "http://acme.example/v1" }, "usage", /--cloud-endpoint/],
  [{ cloudEndpoint: "https://user:pw@acme.example/v1" }, "usage", /^(?!.*:pw@)/],
  [{ cloudEndpoint: "https://acme.example/v1?key=1" }, "usage", /--cloud-endpoint/],
  [{ cloudProvider: "Acme: {}" }, "usage", /--cloud-provider/],
  [{ modelRouting: "local" }, "usage", /--model-routing cloud/],
  [{ modelRouting: undefined }, "usage", /--model-routing cloud/],
  [{ localBundle: "auto" }, "usage", /--model-routing local/],
];
for (const [change, code, text] of REFUSED) {
  Deno.test(`routingOf refuses ${JSON.stringify(change)} as ${code}`, () => {
    assert.throws(() => routingOf({ ...CLOUD, ...change }), (error) => {
      assert.ok(error instanceof Failure);
      assert.equal(error.code, code);
      assert.match(`${error.message} ${error.remedy}`, text);
      return true;
    });
  });
}
