/** Work trees with folders that a job left closed to their owner, as `go mod download` does. */
import assert from "node:assert/strict";
import { openClosed } from "svc/platform/files/closed_folders.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

/** Root may write anywhere, by these capabilities (capabilities(7)). */
const POWERS = "-dac_override,-dac_read_search";
const LOWERED = ["/usr/bin/setpriv", `--bounding-set=${POWERS}`, `--inh-caps=${POWERS}`, "--"];

Deno.test("folders that a job left closed keep no tree from the next job, and none from going", async () => {
  const program = new URL("../closed_folders_program.ts", import.meta.url).pathname;
  const line = [
    ...(Deno.uid() === 0 ? LOWERED : []),
    ...[Deno.execPath(), "run", "-A", "--no-check", program],
  ];
  const { stdout, stderr } = await new Deno.Command(line[0]!, { args: line.slice(1) }).output();
  const said = new TextDecoder().decode(stdout);
  assert.equal(said, "{}\n", new TextDecoder().decode(stderr));
});

Deno.test("a folder beside the tree stays as closed as it was, although a link in the tree leads to it", async () => {
  await using at = await tempFolder("svc-closed-");
  const [tree, beside] = [`${at.path}/tree`, `${at.path}/beside`];
  await Deno.mkdir(`${tree}/inner`, { recursive: true });
  await Deno.mkdir(beside);
  await Deno.symlink(beside, `${tree}/inner/link`);
  await Deno.chmod(beside, 0o500);
  await Deno.chmod(`${tree}/inner`, 0o555);
  assert.equal(await openClosed(tree), 1);
  const modeOf = async (path: string) => (await Deno.stat(path)).mode! & 0o777;
  assert.equal(await modeOf(beside), 0o500);
  assert.equal(await modeOf(`${tree}/inner`), 0o755);
});
