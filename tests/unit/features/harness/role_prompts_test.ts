import assert from "node:assert/strict";
import { HARNESS_TEXTS } from "svc/features/harness/defaults.ts";
import { readTextCalls } from "svc/features/models/client/text_calls.ts";
import { definitionOf } from "svc/features/tools/definitions.ts";
import { finish } from "svc/features/tools/finish.ts";
import { recordDecision } from "svc/features/tools/record_decision.ts";
import { ticketCreate } from "svc/features/tools/ticket_create.ts";
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

Deno.test("a prompt that asks for a record names each field that the tool needs", () => {
  for (const tool of [ticketCreate, recordDecision]) {
    const { required } = definitionOf(tool).function.parameters as { required: string[] };
    const asking = ROLES.filter(([, prompt]) => prompt.includes(`\`${tool.name}\``));
    assert.ok(asking.length >= 2, tool.name);
    for (const [path, prompt] of asking) {
      for (const field of required) {
        assert.ok(prompt.includes(`\`${field}\``), `${path}: ${tool.name} needs ${field}`);
      }
    }
  }
});

Deno.test("no prompt sends a role to a file that its prompt holds already", () => {
  for (const [path, prompt] of ROLES) {
    assert.doesNotMatch(prompt, /AGENTS\.md|manifest\.yaml|guardrails|roles\//, path);
  }
});

Deno.test("what a bundled role may call covers what its prompt tells it to call", () => {
  const manifest = HARNESS_TEXTS[".harness/manifest.yaml"]!;
  for (const [path, prompt] of ROLES) {
    const role = /(\w+)\.md$/.exec(path)![1]!;
    const own = manifest.slice(manifest.indexOf(`\n  ${role}:\n`));
    const tools = own.slice(0, own.indexOf("routes:"));
    for (const [, name] of prompt.matchAll(/`((?:file|git|ticket|check|command)_\w+|grep)`/g)) {
      assert.ok(tools.includes(name!), `${role} is told to call ${name}`);
    }
  }
});
