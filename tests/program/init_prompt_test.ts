/** `svc init` at a terminal: it shows, asks, and takes the answer. */
import assert from "node:assert/strict";
import { svcCommand } from "tests/kit/script.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";

Deno.test("svc init asks at a terminal before it runs anything, and before it writes", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { "go.mod": "module x\n" }, commit: true });
  const env = {
    PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
    HOME: Deno.env.get("HOME") ?? "/",
    SVC_HOME: home.path,
    TERM: "xterm",
    ...(Deno.env.get("DENO_DIR") !== undefined && { DENO_DIR: Deno.env.get("DENO_DIR")! }),
  };
  const exists = () => Deno.stat(`${repo.path}/.harness`).then(() => true, () => false);
  const line = `${svcCommand().join(" ")} init`;
  {
    await using terminal = new PseudoTerminal({ line, cwd: repo.path, env });
    await terminal.seen(/test: go test/);
    await terminal.seen(
      /Try these once in a fresh work tree, with the full authority of your user/,
    );
    await terminal.type("n\r");
    await terminal.seen(/create \.harness\/manifest\.yaml/);
    await terminal.seen(/Write \d+ files into ".*"\?/);
    assert.equal(await exists(), false);
    await terminal.type("n\r");
    await terminal.seen(/the answer was no; nothing was written/);
  }
  assert.equal(await exists(), false);
  await using terminal = new PseudoTerminal({ line, cwd: repo.path, env });
  await terminal.seen(/Try these once/);
  await terminal.type("y\r");
  // Nobody installs go for this test; where it is, its check finds no package to test.
  await terminal.seen(/test: go test .*: (?:missing program|red)/);
  await terminal.seen(/Write \d+ files into ".*"\?/);
  await terminal.type("y\r");
  await terminal.seen(/next: read \.harness\/manifest\.yaml/);
  assert.equal(await exists(), true);
});
