import assert from "node:assert/strict";
import plugin, { importFault, SIBLINGS } from "tools/lint_plugin.ts";

const FAULTS: readonly (readonly [from: string, specifier: string])[] = [
  ["/p/src/core/a.ts", "svc/platform/git.ts"],
  ["/p/src/core/a.ts", "yaml"],
  ["/p/src/core/a.ts", "node:fs"],
  ["/p/src/platform/a.ts", "svc/features/jobs/job_machine.ts"],
  ["/p/src/store/a.ts", "svc/features/jobs/job_store.ts"],
  ["/p/src/features/jobs/a.ts", "svc/runtime/run_job.ts"],
  ["/p/src/features/jobs/a.ts", "svc/features/trust/policy.ts"],
  ["/p/src/features/jobs/a.ts", "node:fs"],
  ["/p/src/cli/a.ts", "svc/http/route.ts"],
  ["/p/src/http/a.ts", "@stricli/core"],
  ["/p/src/cli/help.ts", "@stricli/core"],
  ["/p/src/features/jobs/a.ts", "../trust/policy.ts"],
  ["/p/src/features/jobs/a.ts", "npm:zod"],
  ["/p/src/runtime/a.ts", "svc/wire.ts"],
  ["/p/src/dashboard/a.tsx", "svc/runtime/views/shapes.ts"],
  ["/p/src/dashboard/a.tsx", "svc/core/time.ts"],
  ["/p/src/http/pages.ts", "svc/dashboard/app.tsx"],
];
for (const [from, specifier] of FAULTS) {
  Deno.test(`layers: ${from} may not import ${specifier}`, () => {
    assert.ok(importFault(from, specifier, false));
  });
}

const FINE: readonly (readonly [from: string, specifier: string, typeOnly?: boolean])[] = [
  ["/p/src/core/a.ts", "zod"],
  ["/p/src/core/a.ts", "./b.ts"],
  ["/p/src/platform/a.ts", "node:fs"],
  ["/p/src/platform/a.ts", "svc/core/failure.ts"],
  ["/p/src/store/schema.ts", "svc/features/jobs/job_table.ts", true],
  ["/p/src/features/scores/a.ts", "svc/features/jobs/job_store.ts"],
  ["/p/src/cli/parser.ts", "@stricli/core"],
  ["/p/src/cli/a.ts", "svc/app.ts"],
  ["/p/src/dashboard/a.tsx", "svc/runtime/views/shapes.ts", true],
  ["/p/src/dashboard/parts/a.tsx", "svc/dashboard/state/api.ts"],
  ["/p/src/wire.ts", "svc/cli/ask.ts"],
  ["/p/tests/unit/a.ts", "node:fs"],
];
for (const [from, specifier, typeOnly = false] of FINE) {
  Deno.test(`layers: ${from} may import ${specifier}`, () => {
    assert.equal(importFault(from, specifier, typeOnly), undefined);
  });
}

Deno.test("layers: the sibling features have no cycle", () => {
  const visit = (feature: string, above: readonly string[]): void => {
    assert.ok(!above.includes(feature), `cycle: ${[...above, feature].join(" → ")}`);
    for (const next of SIBLINGS[feature] ?? []) visit(next, [...above, feature]);
  };
  for (const feature of Object.keys(SIBLINGS)) visit(feature, []);
});

const SOURCES: readonly (readonly [file: string, source: string, rule: string | undefined])[] = [
  ["/p/src/cli/a.ts", "Deno.exit(1);", "svc/effects-in-platform"],
  ["/p/src/cli/a.ts", "console.log(1);", "svc/effects-in-platform"],
  ["/p/src/platform/a.ts", "Deno.exit(1);", undefined],
  ["/p/src/cli/a.ts", 'await import("./b.ts");', "svc/no-literal-dynamic-import"],
  ["/p/src/cli/a.ts", "await import(path);", undefined],
  ["/p/src/cli/a.ts", 'import "svc/http/route.ts";', "svc/layers"],
  ["/p/src/cli/a.ts", 'export { x } from "svc/http/route.ts";', "svc/layers"],
  ["/p/src/cli/string_utils.ts", "export {};", "svc/no-attics"],
];
for (const [file, source, rule] of SOURCES) {
  Deno.test(`lint of ${file}: ${source}`, () => {
    const found = Deno.lint.runPlugin(plugin, file, source).map(({ id }) => id);
    assert.deepEqual(found, rule === undefined ? [] : [rule]);
  });
}
