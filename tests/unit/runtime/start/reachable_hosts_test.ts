import assert from "node:assert/strict";
import { OVERRIDES_PATH } from "svc/features/models/choose/override_shape.ts";
import { ROUTING_PATH } from "svc/features/harness/defaults.ts";
import { hostsOf } from "svc/runtime/start/reachable_hosts.ts";

Deno.test("hostsOf names what lies beyond this machine, once", () => {
  const endpoints = [
    ...["http://127.0.0.1:8080/v1", "http://[::1]:1/v1", "http://localhost/v1", "no url"],
    ...["https://models.example/v1", "https://models.example/v2", "http://models.example:8443/v1"],
  ];
  assert.deepEqual(hostsOf(endpoints), ["models.example:443", "models.example:8443"]);
});

Deno.test("reachable_hosts looks at the files that features/models reads", async () => {
  const path = new URL("../../../../src/runtime/start/reachable_hosts.ts", import.meta.url);
  const text = await Deno.readTextFile(path);
  for (const name of [OVERRIDES_PATH, ROUTING_PATH]) assert.ok(text.includes(`"${name}"`), name);
});
