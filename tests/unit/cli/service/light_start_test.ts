/** What the two threads of a service load before it answers brings no zod and no YAML: 35 ms each (decision 0022). */
import assert from "node:assert/strict";
import { repoRoot } from "tests/kit/script.ts";

interface Info {
  readonly roots: readonly string[];
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly isDynamic?: boolean;
      readonly code?: { readonly specifier?: string };
    }[];
  }[];
}

/** What is loaded with a module, as paths from the program's root. */
async function loadedWith(module: string): Promise<Set<string>> {
  const args = ["info", "--json", `${repoRoot}${module}.ts`];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, cwd: repoRoot }).output();
  const { roots, modules }: Info = JSON.parse(new TextDecoder().decode(stdout));
  const known = new Map(modules.map((one) => [one.specifier, one.dependencies ?? []]));
  const loaded = new Set<string>();
  const visit = (specifier: string) => {
    if (loaded.has(specifier)) return;
    loaded.add(specifier);
    for (const { isDynamic, code } of known.get(specifier) ?? []) {
      if (!isDynamic && code?.specifier !== undefined) visit(code.specifier);
    }
  };
  roots.forEach(visit);
  return new Set([...loaded].map((one) => one.replace(`file://${repoRoot}`, "")));
}

const BEFORE_IT_ANSWERS = [
  "src/cli/execute",
  "src/cli/confined/run_confined",
  "src/cli/confined/worker",
  "src/cli/commands/serve",
  "src/cli/commands/start",
  "src/cli/service/run",
  "src/features/repos/follow_move",
  "src/features/repos/register",
  "src/http/control",
  "src/store/placement",
];

Deno.test("nothing that a service loads before it answers brings zod or YAML", async () => {
  const heavy = ["src/core/zod.ts", "src/platform/yaml.ts"];
  const found = await Promise.all(BEFORE_IT_ANSWERS.map(async (module) => {
    const loaded = await loadedWith(module);
    assert.ok(loaded.has(`${module}.ts`));
    return heavy.filter((one) => loaded.has(one)).map((one) => `${module} loads ${one}`);
  }));
  assert.deepEqual(found.flat(), []);
});
