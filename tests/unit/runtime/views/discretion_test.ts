import assert from "node:assert/strict";
import { redactor } from "svc/core/redact.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { homeOf } from "svc/platform/home.ts";
import { discretion } from "svc/runtime/views/discretion.ts";

const repo = (path: string): RegisteredRepo => ({
  ...{
    id: "0123456789ab",
    path,
    remote: null,
    host: null,
    ...{ url: null, node_id: null },
    branch: "main",
    created_at: 1,
    updated_at: 1,
  },
});

function shown(vars: Record<string, string>, ...paths: string[]) {
  const env = { get: (name: string) => vars[name], all: () => vars, forget: () => {} };
  const ports = { env, home: homeOf(env), redact: redactor(["hunter2hunter2"]) };
  return discretion(ports, paths.map(repo));
}

Deno.test("discretion replaces the longest path it knows, in every text and at any depth", () => {
  const vars = { HOME: "/home/ada", SVC_HOME: "/home/ada/.svc" };
  const told = shown(vars, "/home/ada/shop", "/home/ada/shop/inner");
  assert.deepEqual(
    told({
      a: ["/home/ada/shop/inner/x.ts", { b: "at /home/ada/shop, see /home/ada/.svc/db" }],
      c: "~ is /home/ada; /home/ada.bak too",
      n: [1, null, true],
    }),
    {
      a: ["inner/x.ts", { b: "at shop, see ~/.svc/db" }],
      c: "~ is ~; ~.bak too",
      n: [1, null, true],
    },
  );
});

Deno.test("discretion calls a home that is elsewhere by its variable", () => {
  const told = shown({ HOME: "/home/ada", SVC_HOME: "/srv/svc" });
  assert.equal(told("/srv/svc/traces/logs"), "$SVC_HOME/traces/logs");
  assert.equal(told("/srv/svc-harness/db"), "$SVC_HOME-harness/db");
});

Deno.test("discretion takes secrets out, also where a path was", () => {
  const told = shown({ HOME: "/home/ada" }, "/srv/hunter2hunter2/shop");
  assert.equal(told("/srv/hunter2hunter2/shop and hunter2hunter2"), "shop and [redacted]");
});

Deno.test("discretion does not take a secret for an id", () => {
  const secret = "3f2b8c1e-5d4a-4e6f-9a7b-0c1d2e3f4a5b";
  const env = { get: () => "/home/ada", all: () => ({}), forget: () => {} };
  const told = discretion({ env, home: homeOf(env), redact: redactor([secret]) }, []);
  assert.equal(told(secret), "[redacted]");
});

Deno.test("discretion leaves ids, times and what is nowhere as they are", () => {
  const told = shown({ HOME: "/", SVC_HOME: "/x" });
  const plain = [
    "01a1ff0d-9909-73bc-ab61-2e6595f7cd8e",
    "0123456789ab",
    "2026-11-21T10:00:00.000Z",
  ];
  assert.deepEqual(told([...plain, "a/b", undefined]), [...plain, "a/b", undefined]);
});
