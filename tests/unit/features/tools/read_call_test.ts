import assert from "node:assert/strict";
import fc from "fast-check";
import { TOOLS } from "svc/features/tools/all.ts";
import { definitionOf } from "svc/features/tools/definitions.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { decide } from "svc/features/trust/policy.ts";
import type { PolicyQuestion } from "svc/features/trust/policy_question.ts";
import { toolPlace } from "tests/kit/tool_place.ts";
import { mutations, validArgs } from "./args/call_forms.ts";

const signal = new AbortController().signal;

Deno.test("a name with a prefix, a suffix or in another case is the tool's", async () => {
  await using at = await toolPlace({ files: { "a.txt": "one\n" } });
  const box = at.box(TOOLS);
  for (
    const name of [
      "functions.file_read",
      "file_read<|channel|>commentary",
      "FileRead",
      "svc__file_read",
    ]
  ) {
    assert.equal(box.readsOnly(name), true);
    const { tool, status, text, facts } = await box.call(name, { path: "a.txt" }, { signal });
    assert.deepEqual([tool, status, text], ["file_read", "ok", "[a.txt: 1 lines]\none"]);
    assert.deepEqual(facts["repairs"], [`name:${name}=file_read`]);
  }
});

Deno.test("another agent's call is carried out as svc's where it does the same, and the model is told", async () => {
  await using at = await toolPlace({ files: { "src/a.txt": "one\n", "b.txt": "two\n" } });
  const box = at.box(TOOLS);
  const call = async (name: string, args: unknown) => await box.call(name, args, { signal });
  const read = await call("Read", { file_path: "src/a.txt" });
  assert.deepEqual([read.tool, read.status], ["file_read", "ok"]);
  assert.match(read.text, /\none\n\[There is no tool "Read": file_read was called\]$/);
  assert.deepEqual(read.facts["repairs"], ["tool:Read=file_read", "key:file_path=path"]);
  const edited = await call("str_replace_based_edit_tool", {
    ...{ command: "str_replace", path: "src/a.txt" },
    ...{ old_str: "one", new_str: "three" },
  });
  assert.deepEqual([edited.tool, edited.status], ["file_edit", "ok"], edited.text);
  assert.equal(await at.repo.read("src/a.txt"), "three\n");
  const missing = await call("read_file", { path: "none" });
  assert.deepEqual([missing.status, missing.facts["repairs"]], ["failed", [
    "tool:read_file=file_read",
  ]]);
  const made = await call("create_file", { filePath: "new.txt", content: "x\n" });
  assert.deepEqual([made.tool, made.status], ["file_write", "ok"], made.text);
  const ran = await call("Bash", { command: "cat b.txt", description: "Look", timeout: 5000 });
  assert.match(ran.text, /^--- stdout\ntwo\n/);
});

Deno.test("another agent's call that svc has no like of is answered with the call to make", async () => {
  await using at = await toolPlace({ files: { "a.txt": "one\n" } });
  const box = at.box(TOOLS);
  const before = await at.repo.read("a.txt");
  for (
    const [name, args, why] of [
      [
        "apply_patch",
        { input: "*** Begin Patch" },
        /Call file_edit \{"path":.*\} instead: patches are not read/,
      ],
      [
        "MultiEdit",
        { file_path: "a.txt", edits: [] },
        /Call file_edit .*one call of file_edit for each/,
      ],
      [
        "str_replace_editor",
        { command: "insert", path: "a.txt" },
        /Call file_edit .*a line of the file as old/,
      ],
      [
        "create_file",
        { path: "a.txt", content: "" },
        /Call file_write .*"a\.txt" exists, and would be replaced/,
      ],
      ["codebase_search", { query: "x" }, /Call grep .*nothing searches by meaning/],
      ["TodoWrite", { todos: [] }, /no list or plan to keep/],
      ["WebFetch", { url: "x" }, /No tool reaches the web/],
      ["ask_followup_question", { question: "x" }, /Call finish .*nobody answers/],
      [
        "Bash",
        { command: "cat a.txt | wc" },
        /There is no tool "Bash"\. Cannot call command_run.*once for each/s,
      ],
      [
        "attempt_completion",
        { result: "done" },
        /Cannot call finish.*"disposition" is missing.*finish takes/s,
      ],
      [
        "Edit",
        { file_path: "a.txt", old_string: "one" },
        /Cannot call file_edit.*"new" is missing/s,
      ],
    ] as const
  ) {
    const { status, text } = await box.call(name, args, { signal });
    assert.match(status, /^(?:unknown|invalid)$/, name);
    assert.match(text, why);
    assert.match(text, new RegExp(`^There is no tool "${name}"`));
  }
  assert.equal(await at.repo.read("a.txt"), before);
});

Deno.test("a tool of that very name wins over another agent's", async () => {
  await using at = await toolPlace({ files: { "a.txt": "one\n" } });
  const own = { ...TOOLS[0]!, name: "read", run: () => Promise.resolve({ ok: true, text: "own" }) };
  const { tool, text } = await at.box([...TOOLS, own]).call("Read", { path: "a.txt" }, { signal });
  assert.deepEqual([tool, text], ["read", "own"]);
});

Deno.test("who may not call a tool is not told how by another name", async () => {
  await using at = await toolPlace({ files: { "a.txt": "one\n" } });
  const box = at.box(TOOLS, {
    decide: ({ tool }) =>
      /^file_(?:edit|write)$/.test(tool)
        ? { allowed: false, by: "role_trust", reason: "no", remedy: "yes" }
        : { allowed: true },
  });
  const patch = await box.call("apply_patch", {}, { signal });
  assert.doesNotMatch(patch.text, /file_edit/);
  const write = await box.call("Write", { file_path: "b", content: "" }, { signal });
  assert.deepEqual([write.tool, write.status], ["file_write", "denied"]);
});

Deno.test("a call is read as it should have been, and reads the same then", async () => {
  await using at = await toolPlace();
  const box = at.box(TOOLS);
  assert.deepEqual(await box.read("functions.Bash", '{"cmd": "npm test",}'), {
    name: "command_run",
    args: '{"command":"npm test"}',
    repairs: ["tool:functions.Bash=command_run", "json", "key:cmd=command"],
  });
  for (
    const [name, args] of [["file_read", '{"path": "a",  "limit": 2}'], ["x", "{"], [
      "apply_patch",
      "{}",
    ]] as const
  ) {
    assert.deepEqual(await box.read(name, args), { name, args, repairs: [] });
  }
  assert.deepEqual(await box.read("functions.file_read", '{"path": "a'), {
    ...{ name: "file_read", args: '{"path": "a', repairs: [] },
  });
  const cut = '{"path": "a", "content": "b"';
  assert.equal((await box.read("file_write", cut)).args, '{"path":"a","content":"b"}');
  assert.equal((await box.read("file_write", cut, { cut: true })).args, cut);
  const { status } = await box.call("file_write", cut, { signal, cut: true });
  assert.equal(status, "invalid", "the reply ended there");
});

/** Each asks the policy, and does nothing. */
function idle(asked: PolicyQuestion[], tools: readonly AnyTool[]) {
  return {
    tools: tools.map((tool) => ({ ...tool, run: () => Promise.resolve({ ok: true, text: "" }) })),
    plan: {
      decide(question: PolicyQuestion) {
        asked.push(question);
        return decide(question);
      },
      policy: {
        profile: "host" as const,
        now: () =>
          Promise.resolve({
            roleTrust: "contributor" as const,
            sourceTrust: "contributor" as const,
            roleTools: undefined,
            guardrails: { denyPaths: ["src/**"], denyCommands: ["npm", "rm"] },
          }),
      },
    },
  };
}

Deno.test("a repair raises no right: the policy is asked what it is asked for the right call", async () => {
  await using at = await toolPlace();
  const asked: PolicyQuestion[] = [];
  const { tools, plan } = idle(asked, TOOLS);
  const box = at.box(tools, plan);
  const judged = async (name: string, args: unknown) => {
    asked.length = 0;
    const { status, deniedBy } = await box.call(name, args, { signal });
    return { asked: [...asked], status, deniedBy };
  };
  const seen = new Set<string>();
  for (const tool of tools) {
    await fc.assert(
      fc.asyncProperty(validArgs(tool), async (args) => {
        const right = await judged(tool.name, args);
        seen.add(`${tool.name} ${right.status}`);
        for (const [how, written] of mutations(tool, args, at.repo.path)) {
          const { asked, ...rest } = await judged(`functions.${tool.name}`, written);
          assert.deepEqual({ asked, ...rest }, right, `${tool.name}, ${how}: ${String(written)}`);
        }
      }),
      { numRuns: 5, seed: 17 },
    );
  }
  for (
    const both of ["file_write ok", "file_write denied", "command_run ok", "command_run denied"]
  ) {
    assert.ok(seen.has(both), `${both} of ${[...seen]}`);
  }
});

Deno.test("what is denied by its right name is denied by every other", async () => {
  await using at = await toolPlace();
  const { tools, plan } = idle([], TOOLS);
  const box = at.box(tools, plan);
  const git = `${at.repo.path}/.git/config`;
  for (
    const [name, args] of [
      ...[["Write", { file_path: "src/a", content: "" }], ["Edit", {
        file_path: "src/a",
        old_string: "a",
        new_string: "b",
      }]],
      ...[["write_file", { filepath: git, contents: "" }], ["file-write", {
        path: ".git/config",
        text: "",
      }]],
      ...[["create_file", { filePath: "./src/new", content: "" }], ["str_replace_editor", {
        command: "create",
        path: ".git/x",
        file_text: "",
      }]],
      ...[["Bash", { command: "npm test" }], ["shell", { command: ["npm", "test"] }], ["bash", {
        command: "bash -lc 'rm x'",
      }]],
      ...[["execute_bash", { command: "cd web && rm -f x" }], ["command_run", { argv: "'r'm x" }], [
        "exec",
        { argv: ["rm x"] },
      ]],
      ...[["run_shell_command", { command: "env rm x", description: "Tidy" }]],
    ] as [string, unknown][]
  ) {
    const { status, text } = await box.call(name, args, { signal });
    assert.match(status, /^(?:denied|invalid)$/, `${name} ${JSON.stringify(args)} ${text}`);
    if (status === "invalid") assert.match(text, /no path of the repo|\.git/, text);
  }
});

Deno.test("definitions stay valid for clients that are strict about JSON Schema", () => {
  for (const tool of TOOLS) {
    const { properties, required = [], ...rest } = definitionOf(tool).function.parameters;
    assert.deepEqual(rest, { type: "object", additionalProperties: false }, tool.name);
    for (const name of required as string[]) assert.ok(Object.hasOwn(properties as object, name));
  }
});
