import assert from "node:assert/strict";
import plugin, {
  importFault,
  MAY_LOAD,
  ONE_IMPORTER,
  type Reference,
  SIBLINGS,
} from "tools/lint_plugin.ts";
import { root } from "tools/modules.ts";

const FAULTS: readonly (readonly [from: string, specifier: string, how?: Reference])[] = [
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
  ["/p/src/platform/a.ts", "node:fs/promises"],
  ["/p/src/platform/a.ts", "node:child_process"],
  ["/p/src/features/jobs/a.ts", "../trust/policy.ts"],
  ["/p/src/features/jobs/a.ts", "npm:zod"],
  ["/p/src/runtime/a.ts", "svc/wire.ts"],
  ["/p/src/dashboard/a.tsx", "svc/runtime/views/pipeline_view.ts"],
  ["/p/src/dashboard/a.tsx", "svc/core/time.ts"],
  ["/p/src/http/pages.ts", "svc/dashboard/app.tsx"],
  ["/p/src/platform/entrance.ts", "svc/modules.gen.ts"],
  ["/p/src/runtime/a.ts", "svc/http/control.ts", "load"],
  ["/p/src/http/a.ts", "svc/cli/ask.ts", "load"],
  ["/p/src/features/jobs/a.ts", "svc/features/trust/policy.ts", "load"],
  ["/p/src/cli/a.ts", "svc/http/control.ts", "type"],
];
for (const [from, specifier, how = "import"] of FAULTS) {
  Deno.test(`layers: ${from} may not ${how} ${specifier}`, () => {
    assert.ok(importFault(from, specifier, how));
  });
}

const FINE: readonly (readonly [from: string, specifier: string, how?: Reference])[] = [
  ["/p/src/core/a.ts", "zod"],
  ["/p/src/core/a.ts", "./b.ts"],
  ["/p/src/store/open.ts", "node:sqlite"],
  ["/p/src/platform/a.ts", "svc/core/failure.ts"],
  ["/p/src/store/schema.ts", "svc/features/jobs/job_table.ts", "type"],
  ["/p/src/features/scores/a.ts", "svc/features/routing/decide.ts"],
  ["/p/src/cli/parser.ts", "@stricli/core"],
  ["/p/src/cli/a.ts", "svc/app.ts"],
  ["/p/src/cli/a.ts", "svc/http/control.ts", "load"],
  ["/p/src/platform/entrance.ts", "svc/modules.gen.ts", "type"],
  ["/p/src/dashboard/a.tsx", "svc/runtime/views/pipeline_view.ts", "type"],
  ["/p/src/dashboard/parts/a.tsx", "svc/dashboard/state/api.ts"],
  ["/p/src/wire.ts", "svc/cli/ask.ts"],
  ["/p/tests/unit/a.ts", "node:fs"],
];
for (const [from, specifier, how = "import"] of FINE) {
  Deno.test(`layers: ${from} may ${how} ${specifier}`, () => {
    assert.equal(importFault(from, specifier, how), undefined);
  });
}

Deno.test("layers: the sibling features have no cycle", () => {
  const visit = (feature: string, above: readonly string[]): void => {
    assert.ok(!above.includes(feature), `cycle: ${[...above, feature].join(" → ")}`);
    for (const next of SIBLINGS[feature] ?? []) visit(next, [...above, feature]);
  };
  for (const feature of Object.keys(SIBLINGS)) visit(feature, []);
});

/** Files of a folder, with all that they import, take types from or load. */
async function references(folder: string): Promise<{ file: string; named: string[] }[]> {
  const { stdout } = await new Deno.Command("git", { args: ["ls-files", folder], cwd: root })
    .output();
  const files = new TextDecoder().decode(stdout).split("\n")
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".gen.ts"));
  return await Promise.all(files.map(async (file) => {
    const text = await Deno.readTextFile(root + file);
    const named = text.matchAll(/(?:from |import\()"([^"]+)"|"(src\/[a-z0-9_/]+)"/g);
    return {
      file,
      named: [...named].map(([, specifier, path]) => specifier ?? path!.replace("src/", "svc/")),
    };
  }));
}

Deno.test("layers: every permission is used", async () => {
  const all = await references("src");
  const used = (from: string, to: string) =>
    all.some(({ file, named }) =>
      file.startsWith(from) && named.some((specifier) => specifier.startsWith(to))
    );
  const edges = [
    ...Object.entries(SIBLINGS).flatMap(([feature, siblings]) =>
      siblings.map((to) => [`src/features/${feature}/`, `svc/features/${to}/`] as const)
    ),
    ...Object.entries(MAY_LOAD).flatMap(([layer, loads]) =>
      loads.map((to) => [`src/${layer}/`, `svc/${to}/`] as const)
    ),
    ...Object.entries(ONE_IMPORTER).map(([specifier, owner]) => [owner, specifier] as const),
  ];
  const idle = edges.filter(([from, to]) => !used(from, to));
  assert.deepEqual(idle, []);
});

const SOURCES: readonly (readonly [file: string, source: string, rule: string | undefined])[] = [
  ["/p/src/cli/a.ts", "Deno.exit(1);", "svc/effects-in-platform"],
  ["/p/src/cli/a.ts", "console.log(1);", "svc/effects-in-platform"],
  ["/p/src/platform/a.ts", "Deno.exit(1);", undefined],
  ["/p/src/cli/a.ts", 'await import("./b.ts");', "svc/no-literal-dynamic-import"],
  ["/p/src/cli/a.ts", "await import(path);", undefined],
  ["/p/src/cli/a.ts", 'import "svc/http/route.ts";', "svc/layers"],
  ["/p/src/cli/a.ts", 'export { x } from "svc/http/route.ts";', "svc/layers"],
  ["/p/src/cli/a.ts", 'export * from "svc/http/route.ts";', "svc/layers"],
  ["/p/src/cli/a.ts", 'type A = typeof import("svc/http/route.ts");', "svc/layers"],
  ["/p/src/cli/a.ts", 'await load("src/http/control");', undefined],
  ["/p/src/terminal/a.ts", 'await load("src/http/control");', "svc/layers"],
  ["/p/src/cli/string_utils.ts", "export {};", "svc/no-attics"],
  ["/p/src/platform/a.ts", "setTimeout(done, 5);", "svc/no-deno-timers"],
  ["/p/src/runtime/a.ts", "const later = globalThis.setInterval;", "svc/no-deno-timers"],
  ["/p/src/dashboard/a.ts", "setTimeout(done, 5);", undefined],
];
for (const [file, source, rule] of SOURCES) {
  Deno.test(`lint of ${file}: ${source}`, () => {
    const found = Deno.lint.runPlugin(plugin, file, source).map(({ id }) => id);
    assert.deepEqual(found, rule === undefined ? [] : [rule]);
  });
}
