/** `svc start --yes` at a terminal, where somebody could be asked. */
import assert from "node:assert/strict";
import { runSite } from "tests/kit/run_site.ts";
import { svcCommand } from "tests/kit/script.ts";
import { verifies } from "tests/kit/verifies.ts";
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";

verifies(
  "4.5:start:yes",
  "svc start --yes asks nothing at a terminal either: it ends, and says what is missing",
  async () => {
    await using site = await runSite({ scenario: {} });
    const host = ["--yes", "--execution-profile", "host", "--addr", "127.0.0.1:0"];
    const words = [...svcCommand(), "start", ...host, "--model-endpoint", site.model.url];
    const line = `sh -c '${words.join(" ")}; echo "status $?"'`;
    const env = { ...site.env, TERM: "xterm" };
    await using terminal = new PseudoTerminal({ line, cwd: site.repo.path, env });
    await terminal.seen(/not acknowledged\s+try: Add --acknowledge-host-execution/);
    await terminal.seen(/status 4/);
    assert.deepEqual(site.model.requests, []);
  },
);
