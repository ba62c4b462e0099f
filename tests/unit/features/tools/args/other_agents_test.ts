import { betaAgentToolset20260401 } from "@anthropic-ai/sdk/tools/agent-toolset/node";
import { toolNames } from "@roo-code/types";
import assert from "node:assert/strict";
import { counterpartOf, offeredToolName } from "svc/core/tool_names.ts";
import { TOOLS } from "svc/features/tools/all.ts";
import { FILES, OTHER_AGENTS_CALLS } from "tests/kit/other_agents.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { toolPlace } from "tests/kit/tool_place.ts";

const signal = new AbortController().signal;
const OFFERED = new Map(TOOLS.map((tool) => [tool.name, tool]));

Deno.test("calls of other agents' tools become calls of svc's, or are answered with one", async () => {
  await using at = await toolPlace({ files: FILES });
  const box = at.box(TOOLS);
  for (const { agent, calls } of OTHER_AGENTS_CALLS) {
    for (const [name, args, tool, wanted] of calls) {
      const read = await box.read(name, JSON.stringify(args));
      const what = `${agent}: ${name} ${JSON.stringify(args)}`;
      if (!(wanted instanceof RegExp)) {
        assert.deepEqual([read.name, JSON.parse(read.args)], [tool, wanted], what);
        continue;
      }
      assert.deepEqual(read.repairs, [], what);
      const { status, text } = await box.call(name, args, { signal });
      assert.match(status, /^(?:unknown|invalid)$/, what);
      assert.match(text, wanted, what);
    }
  }
});

Deno.test("each tool that npm @roo-code/types names is known", () => {
  assert.ok(toolNames.length > 20);
  const unknown = toolNames.filter((name) =>
    name !== "custom_tool" && offeredToolName(name, OFFERED) === undefined &&
    counterpartOf(name) === undefined
  );
  assert.deepEqual(unknown, []);
});

/** Anthropic's own tools (agent_toolset_20260401), on files of their own. */
async function anthropics(files: Readonly<Record<string, string>>) {
  const folder = await tempFolder("svc-anthropic-");
  for (const [path, text] of Object.entries(files)) await folder.write(path, text);
  const tools = betaAgentToolset20260401({ workdir: folder.path });
  return {
    folder,
    tools,
    async run(name: string, input: object): Promise<string> {
      const tool = tools.find((one) => one.name === name)!;
      return String(await (tool.run as (input: object, context: object) => unknown)(input, {}));
    },
    async [Symbol.asyncDispose]() {
      for (const tool of tools) await tool.close?.();
      await folder[Symbol.asyncDispose]();
    },
  };
}

Deno.test("calls that Anthropic's own tools carry out do the same here: files, matches, output", async () => {
  await using theirs = await anthropics(FILES);
  await using at = await toolPlace({ files: FILES });
  const box = at.box(TOOLS);
  const both = async (name: string, input: object) => {
    const { status, text } = await box.call(name, input, { signal });
    assert.equal(status, "ok", `${name} ${text}`);
    return { said: await theirs.run(name, input), text };
  };
  assert.deepEqual(theirs.tools.map(({ name }) => name), [
    "bash",
    "read",
    "write",
    "edit",
    "glob",
    "grep",
  ]);

  const read = await both("read", { file_path: "src/a.ts", view_range: [2, 2] });
  assert.match(read.said, /const b = 2;/);
  assert.match(read.text, /\nconst b = 2;\n/);
  assert.doesNotMatch(read.text, /const a/);

  await both("write", { file_path: "docs/new.md", content: "# New\n" });
  await both("edit", {
    file_path: "src/a.ts",
    old_string: "const a = 1;",
    new_string: "const a = 3;",
  });
  await both("edit", {
    file_path: "src/a.ts",
    old_string: "2",
    new_string: "4",
    replace_all: false,
  });
  for (const path of ["docs/new.md", "src/a.ts"]) {
    assert.equal(await at.repo.read(path), await theirs.folder.read(path), path);
  }
  const found = await both("glob", { pattern: "**/*.ts" });
  const names = found.said.split("\n").map((path) => path.replace(`${theirs.folder.path}/`, ""))
    .sort();
  assert.deepEqual(found.text.split("\n"), names);

  const hit = await both("grep", { pattern: "const b", path: "src" });
  assert.match(hit.said, /a\.ts:2:const b = 4;/);
  assert.match(hit.text, /src\/a\.ts\n2:const b = 4;/);

  const ran = await both("bash", { command: `printf '%s|' "a b" c\\ d`, timeout_ms: 5000 });
  assert.match(ran.said, /^a b\|c d\|/);
  assert.match(ran.text, /^--- stdout\na b\|c d\|\n/);
});
