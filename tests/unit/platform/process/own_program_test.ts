import assert from "node:assert/strict";
import { denoEntrance } from "svc/platform/entrance.ts";
import { ownProgram } from "svc/platform/process/own_program.ts";

const entrance = denoEntrance(new URL("../../../../main.ts", import.meta.url).href);
const builtAs = (build: "source" | "portable" | "compiled") =>
  ownProgram({ ...entrance, runtime: { ...entrance.runtime, build } });

Deno.test("svc starts itself from source with the runtime that runs it, and says its version", async () => {
  const { program, args } = builtAs("source");
  const { code, stdout } = await new Deno.Command(program, { args: [...args, "version"] }).output();
  assert.equal(code, 0);
  assert.match(new TextDecoder().decode(stdout), /^svc \d+\.\d+\.\d+/);
});

Deno.test("a portable build is started as its own script starts it, a compiled one by itself", async () => {
  const stub = await Deno.readTextFile(
    new URL("../../../../tools/portable_stub.sh", import.meta.url),
  );
  const { args } = builtAs("portable");
  const flags = args.slice(0, -1);
  const line = stub.slice(stub.indexOf('exec "$runtime/deno"')).replaceAll("\\\n", " ");
  for (const flag of flags) assert.ok(line.includes(` ${flag} `), flag);
  assert.match(args.at(-1)!, /\/main\.ts$/);
  assert.deepEqual(builtAs("compiled"), { program: Deno.execPath(), args: [] });
});
