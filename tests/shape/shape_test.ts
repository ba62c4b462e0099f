/** Rules of the house that lint cannot see: sizes, and a root that holds what it should. */
import assert from "node:assert/strict";

const root = decodeURIComponent(new URL("../..", import.meta.url).pathname);

async function* files(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(root + folder)) {
    if (name.startsWith(".")) continue; // what a benchmark made
    if (isDirectory) yield* files(`${folder}/${name}`);
    else yield `${folder}/${name}`;
  }
}

Deno.test("no source file is longer than 400 lines", async () => {
  const long: string[] = [];
  for (const folder of ["src", "tools", "tests", "bench"]) {
    for await (const path of files(folder)) {
      if (!path.endsWith(".ts") || path.endsWith(".gen.ts")) continue;
      const lines = (await Deno.readTextFile(root + path)).split("\n").length - 1;
      if (lines > 400) long.push(`${path}: ${lines}`);
    }
  }
  assert.deepEqual(long, []);
});

Deno.test("every source file says in its first lines what it does, or is a declaration", async () => {
  const silent: string[] = [];
  for await (const path of files("src")) {
    if (!path.endsWith(".ts") || path.endsWith(".gen.ts")) continue;
    if (path.startsWith("src/cli/commands/")) continue;
    if (!(await Deno.readTextFile(root + path)).startsWith("/**")) silent.push(path);
  }
  assert.deepEqual(silent, []);
});

Deno.test("jobs are queued and cancelled through order_job.ts alone, which stores the events", async () => {
  const sidesteps: string[] = [];
  for await (const path of files("src")) {
    if (!path.endsWith(".ts") || path === "src/features/jobs/order_job.ts") continue;
    const text = await Deno.readTextFile(root + path);
    for (const [, names, from] of text.matchAll(/import (?:type )?\{([^}]*)\} from "([^"]+)"/g)) {
      if (!from!.endsWith("/job_store.ts")) continue;
      if (/\b(?:enqueue|cancel)\b/.test(names!)) sidesteps.push(path);
    }
  }
  assert.deepEqual(sidesteps, []);
});

Deno.test("no test waits for time to pass: it awaits an event, or `until` looks for what the disk tells", async () => {
  const asleep: string[] = [];
  for await (const path of files("tests")) {
    if (!path.endsWith("_test.ts")) continue;
    const text = await Deno.readTextFile(root + path);
    if (/await[^;]*\bsetTimeout\(\w+, \d|await (?:delay|sleep)\(/.test(text)) asleep.push(path);
  }
  assert.deepEqual(asleep, []);
});

Deno.test("make help fits a screen of 24 lines and 80 columns", async () => {
  const lines = (await Deno.readTextFile(`${root}Makefile`)).split("\n")
    .flatMap((line) => /^[a-z%-]+:.*## (.*)$/.exec(line)?.[1] ?? []);
  assert.ok(lines.length > 10 && lines.length < 24, `${lines.length} lines`);
  assert.deepEqual(lines.filter((line) => line.length > 64), []);
});

Deno.test("no comment begins with a riddle's Of", async () => {
  const riddles: string[] = [];
  for (const folder of ["src", "tools", "tests", "bench"]) {
    for await (const path of files(folder)) {
      if (!/\.tsx?$/.test(path)) continue;
      const text = await Deno.readTextFile(root + path);
      if (/(?:\/\*\*|\/\/|^\s*\*) Of /m.test(text)) riddles.push(path);
    }
  }
  assert.deepEqual(riddles, []);
});

Deno.test("the top level holds what the project is made of", async () => {
  const names = new Set((await Array.fromAsync(Deno.readDir(root))).map(({ name }) => name));
  for (
    const name of [
      "deno.json",
      "deno.lock",
      "main.ts",
      "src",
      "tests",
      "assets",
      "Makefile",
      "README.md",
      "AGENTS.md",
      "VERSION",
      "CHANGELOG.md",
      "docs",
      "tools",
      "bench",
    ]
  ) assert.ok(names.has(name), name);
});
