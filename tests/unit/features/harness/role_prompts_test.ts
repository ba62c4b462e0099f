import assert from "node:assert/strict";
import { HARNESS_TEXTS } from "svc/features/harness/defaults.ts";
import { readTextCalls } from "svc/features/models/client/text_calls.ts";
import { definitionOf } from "svc/features/tools/definitions.ts";
import { finish } from "svc/features/tools/finish.ts";
import { parseArgs } from "svc/features/tools/tool_args.ts";

const ROLES = Object.entries(HARNESS_TEXTS).filter(([path]) => path.startsWith(".harness/roles/"));

Deno.test("each role's prompt ends with a call of finish that would be taken if a model wrote it so", async () => {
  assert.equal(ROLES.length, 5);
  for (const [path, prompt] of ROLES) {
    const example = prompt.trimEnd().split("\n").at(-1)!;
    for (const said of [example, example.slice(1, -1), `The work is done.\n\n${example}`]) {
      const { calls } = readTextCalls(said, [definitionOf(finish)]);
      assert.deepEqual(calls.map(({ name }) => name), ["finish"], path);
      const parsed = await parseArgs(finish, calls[0]!.args, { root: "/" });
      assert.ok(parsed.ok, path);
      const { disposition } = parsed.args as { disposition: string };
      assert.ok(prompt.includes(`| \`${disposition}\``), `${path} lists ${disposition}`);
    }
    const quoted = `My prompt says: ${example} I do not end yet.`;
    assert.deepEqual(readTextCalls(quoted, [definitionOf(finish)]).calls, [], path);
  }
});
