/** What needs no home works without one, in an empty environment. */
import assert from "node:assert/strict";
import { svcCommand } from "tests/kit/script.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const root = decodeURIComponent(new URL("../..", import.meta.url).pathname);

Deno.test("help and version need neither HOME nor PATH", async () => {
  const env = { DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno` };
  const asked = [["--help"], ["version"], ["version", "--json"], ["scan", "--help"]];
  const outputs = await Promise.all(asked.map((words) =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--quiet", `${root}main.ts`, ...words],
      clearEnv: true,
      env,
    }).output()
  ));
  for (const [at, { code, stdout, stderr }] of outputs.entries()) {
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.deepEqual([code, err], [0, ""], asked[at]!.join(" "));
    assert.match(out!, /svc|Scan|version/);
  }
});

Deno.test("a current folder whose path is no text is told of, with what helps", async () => {
  await using temp = await tempFolder();
  const { code, stderr } = await new Deno.Command("sh", {
    args: ["-c", `cd "$1" && mkdir "$(printf 'r\\377')" && cd r* && shift && exec "$@"`, "sh"]
      .concat(
        ...[temp.path, svcCommand(), "status"],
      ),
    env: { SVC_HOME: `${temp.path}/.svc` },
  }).output();
  assert.deepEqual([code, new TextDecoder().decode(stderr)], [
    5,
    "svc: Cannot run in the current folder: its path is not UTF-8\n" +
    "try: Rename the folder on the path that is not: pwd | cat -v\n",
  ]);
});
