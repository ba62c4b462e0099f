/** `svc setup` from an empty home, at a terminal, with model servers at the ports that people have them at. */
import assert from "node:assert/strict";
import { onOwnNetwork } from "tests/kit/own_network.ts";
import { cannotContain } from "tests/kit/sandboxes.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

const ignore = await cannotContain();

Deno.test({
  name:
    "from an empty home with Ollama running: one Enter, then svc init and svc start as they are",
  ignore,
  async fn() {
    await using home = await tempFolder();
    await using repo = await tempRepo({ files: { "README.md": "# x\n" }, commit: true });
    await using terminal = await onOwnNetwork({
      home,
      repo,
      servers: ["ollama", "web"],
      lines: ['cd "$REPO"', "svc setup", "svc init", "svc start", "svc jobs list --plain"],
    });
    await terminal.seen(/Which model should every role use\?/);
    await terminal.type("\r");
    await terminal.seen(/next: svc init/);
    await terminal.seen(/Write \d+ files into/);
    await terminal.type("y\r");
    await terminal.seen(/q stop/);
    await terminal.type("q");
    await terminal.seen(/ceo .*no_work/);
    await terminal.seen(/all over/);
    assert.ok(!terminal.printed.includes("refused:"));
  },
});
