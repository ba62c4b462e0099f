import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { homeOf } from "svc/platform/home.ts";

const of = (known: Record<string, string>) => homeOf({ get: (name) => known[name] });

Deno.test("homeOf is ~/.svc, or what SVC_HOME says", () => {
  assert.equal(of({ HOME: "/home/a" }).config, "/home/a/.svc/config.yaml");
  assert.equal(of({ HOME: "/home/a" }).sharedDb, "/home/a/.svc-harness/db");
  assert.equal(of({ HOME: "/home/a", SVC_HOME: "/x/" }).logs, "/x/traces/logs");
});

for (const known of [{}, { HOME: "" }, { HOME: "relative" }, { HOME: "/a", SVC_HOME: "b" }]) {
  Deno.test(`homeOf refuses ${JSON.stringify(known)}`, () => {
    assert.throws(
      () => of(known as Record<string, string>),
      (error) => error instanceof Failure && error.code === "environment" && error.exit === 5,
    );
  });
}
