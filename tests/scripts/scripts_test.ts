/** Runs every script of this folder against the whole program. */
import { runScript } from "tests/kit/script.ts";

const folder = new URL(".", import.meta.url);
const names = Array.from(Deno.readDirSync(folder), ({ name }) => name)
  .filter((name) => name.endsWith(".txtar")).sort();

for (const name of names) {
  Deno.test(`script ${name}`, async () => {
    await runScript(name, await Deno.readTextFile(new URL(name, folder)));
  });
}
