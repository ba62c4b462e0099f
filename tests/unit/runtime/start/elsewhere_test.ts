/** A model that is away, and another at a usual port: the failure names it, and nothing is taken unasked. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { ModelFault } from "svc/features/models/client/model.ts";
import { systemClock } from "svc/platform/clock.ts";
import { orElsewhere } from "svc/runtime/start/elsewhere.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { verifies } from "tests/kit/verifies.ts";

const CLOSED = { endpoint: "http://127.0.0.1:8080/v1" };
const OLLAMA = registry().runtimes.find(({ id }) => id === "ollama")!.endpoint;

const failed = (kind: "unreachable" | "auth") => {
  const cause = new ModelFault(kind, "nobody listens there", {
    ...{ category: "model_unreachable", transient: true, pausesLane: true, remedy: "Start it" },
  });
  return new Failure("environment", "Cannot ask the model", { cause, remedy: "Start it" });
};

/** Ports of a machine whose only model server stands where `url` says: at the usual port of Ollama. */
function machine(url: string | undefined) {
  const asked: string[] = [];
  const at = (request: string | URL | Request, init?: RequestInit) => {
    const wanted = String(request instanceof Request ? request.url : request);
    asked.push(wanted);
    const there = url !== undefined && wanted.startsWith(OLLAMA);
    // Nothing listens at port 1 (tcpmux).
    return fetch(there ? wanted.replace(OLLAMA, url) : "http://127.0.0.1:1/", init);
  };
  const { signal } = new AbortController();
  const ports = { fetch: at as typeof fetch, clock: systemClock, env: { get: () => undefined } };
  return { asked, ports: { ...ports, signal } };
}

verifies(
  "7:cli:model-preflight-remedy",
  "where nobody answers, the usual ports are looked at, and the way out names what is there",
  async () => {
    await using endpoint = modelEndpoint({ steps: [] });
    const { asked, ports } = machine(endpoint.url);
    const failure = await orElsewhere(ports, failed("unreachable"), CLOSED);
    assert.ok(failure instanceof Failure);
    assert.match(failure.message, /^Cannot ask the model\. But ollama answers at "http:/);
    assert.match(failure.message, /:11434\/v1", with 1 model$/);
    assert.match(failure.remedy, /^svc setup --model-endpoint \S*:11434\/v1#fixture-model\S*, /);
    for (const { endpoint } of registry().runtimes) {
      assert.ok(asked.some((url) => url.startsWith(endpoint)), endpoint);
    }
  },
);

Deno.test("a failure stays as it is where nobody else answers, and where another fault is to be mended", async () => {
  const away = failed("unreachable");
  assert.equal(await orElsewhere(machine(undefined).ports, away, CLOSED), away);
  await using endpoint = modelEndpoint({ steps: [] });
  const { asked, ports } = machine(endpoint.url);
  const refused = failed("auth");
  assert.equal(await orElsewhere(ports, refused, CLOSED), refused);
  const remote = { endpoint: "https://models.example.com/v1" };
  assert.equal(await orElsewhere(ports, away, remote), away);
  assert.deepEqual(asked, []);
});
