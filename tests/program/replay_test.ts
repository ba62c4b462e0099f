/** One real fix on a real project from npm, with the whole program between them. */
import assert from "node:assert/strict";
import { MIME } from "bench/replay/cases.ts";
import { play } from "bench/replay/play.ts";
import { tried } from "bench/replay/source.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const registry = await tried("/", ["npm", "ping"]).catch(() => ({ ok: false }));

Deno.test({
  name:
    "npm mime 1.3.4: its fix of 1.3.6 is merged, its tests pass, the person's files stay, nothing of svc's is left",
  ignore: !registry.ok,
  async fn() {
    await using shared = await tempFolder();
    const { found, verdict, faults } = await play(MIME, shared.path);
    assert.deepEqual({ found, verdict, faults }, {
      ...{ found: "npm test", verdict: "done", faults: [] },
    });
  },
});
