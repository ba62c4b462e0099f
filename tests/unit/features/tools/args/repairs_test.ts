import assert from "node:assert/strict";
import fc from "fast-check";
import { TOOLS } from "svc/features/tools/all.ts";
import { exampleOf } from "svc/features/tools/args/examples.ts";
import { mendJson } from "svc/features/tools/args/mend_json.ts";
import { OTHER_KEYS, otherKeysOf } from "svc/features/tools/args/other_keys.ts";
import { definitionOf } from "svc/features/tools/definitions.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { parseArgs } from "svc/features/tools/tool_args.ts";
import { mutations, validArgs } from "./call_forms.ts";

const ROOT = "/work/tree";
const parsed = (tool: AnyTool, given: unknown) =>
  parseArgs(tool, given, { root: ROOT, mender: () => Promise.resolve(mendJson) });
const named = (name: string) => TOOLS.find((tool) => tool.name === name)!;

/** What the tool gets, and what was repaired; or the fault. */
async function read(name: string, given: unknown): Promise<unknown> {
  const result = await parsed(named(name), given);
  return result.ok ? [result.given, result.repairs] : result.fault;
}

Deno.test("arguments are read as they were meant, and each repair is named", async () => {
  const long = "const x = 1;\n";
  for (
    const [name, given, wanted, repairs] of [
      ["file_read", { path: "a", limit: "20" }, { path: "a", limit: 20 }, ["type:limit"]],
      ["file_read", { path: "a", offset: "", limit: "None" }, { path: "a" }, [
        "empty:offset",
        "empty:limit",
      ]],
      ["file_read", { path: "a", offset: null }, { path: "a" }, []],
      ["file_read", { filePath: "a" }, { path: "a" }, ["key:filePath=path"]],
      ["file_read", { file_path: "a", path: "a" }, { path: "a" }, ["key:file_path=path"]],
      ["file_read", { path: "a", start_line: 3, end_line: 7 }, { path: "a", offset: 3, limit: 5 }, [
        "key:start_line=offset",
        "range:end_line",
      ]],
      ["file_read", { path: "a", view_range: [3, -1] }, { path: "a", offset: 3 }, [
        "range:view_range",
      ]],
      ["file_read", { path: `${ROOT}/src/a` }, { path: "src/a" }, ["root:path"]],
      ["file_read", { arguments: { path: "a" } }, { path: "a" }, ["wrapped:arguments"]],
      ["file_read", { name: "file_read", parameters: '{"path": "a"}' }, { path: "a" }, [
        "wrapped:parameters",
      ]],
      ["file_read", '"{\\"path\\": \\"a\\"}"', { path: "a" }, ["encoded_twice"]],
      ["file_read", "{'path': 'a',}", { path: "a" }, ["json"]],
      ["grep", { query: "x", "-i": "True", "-C": "2" }, {
        pattern: "x",
        ignore_case: true,
        context: 2,
      }, [
        "key:query=pattern",
        "key:-i=ignore_case",
        "key:-C=context",
        "type:ignore_case",
        "type:context",
      ]],
      ["grep", { pattern: "x", "-A": 1, "-B": 3, "-n": true, output_mode: "content" }, {
        pattern: "x",
        context: 3,
      }, ["key:-A,-B=context", "left_out:output_mode", "left_out:-n"]],
      ["grep", { query: "a.b", isRegexp: false, includePattern: "*.ts" }, {
        pattern: "a.b",
        glob: "*.ts",
        fixed: true,
      }, ["key:query=pattern", "key:includePattern=glob", "key:isRegexp=fixed"]],
      ["glob", { pattern: "*.ts", path: "./src/" }, { pattern: "src/**/*.ts" }, [
        "key:path=pattern",
      ]],
      ["file_list", { directory: "src", recursive: "true" }, { path: "src", depth: 20 }, [
        "key:directory=path",
        "key:recursive=depth",
      ]],
      ["file_edit", { file_path: "a", oldString: "x", new_str: "y", replace_all: false }, {
        path: "a",
        old: "x",
        new: "y",
      }, ["key:file_path=path", "key:oldString=old", "key:new_str=new", "left_out:replace_all"]],
      ["file_write", { path: "a", file_text: long, explanation: "why" }, {
        path: "a",
        content: long,
      }, [
        "key:file_text=content",
        "left_out:explanation",
      ]],
      ["ticket_create", {
        ...{ title: "t", type: "Feature", context: "c" },
        acceptance: "it works",
        depends_on: "['T-1', 'T-2',]",
      }, {
        ...{ title: "t", type: "feature", context: "c" },
        acceptance: ["it works"],
        depends_on: ["T-1", "T-2"],
      }, ["choice:type", "list:acceptance", "list:depends_on"]],
      ["git_commit", { message: 7, paths: '["a", "b"]' }, { message: "7", paths: ["a", "b"] }, [
        "type:message",
        "list:paths",
      ]],
      ["command_run", { cmd: ["npm", "test"], timeout: 120000 }, {
        argv: ["npm", "test"],
        timeout_seconds: 120,
      }, ["key:cmd=command", "key:timeout=timeout_seconds", "key:command=argv"]],
      ["command_run", { argv: "npm 'a b'" }, { command: "npm 'a b'" }, ["words:argv"]],
      ["command_run", { argv: ["npm test"] }, { command: "npm test" }, ["words:argv"]],
      ["command_run", { argv: '["npm", "test"]' }, { argv: ["npm", "test"] }, ["list:argv"]],
      ["command_run", { command: "npm", args: ["run", 1] }, { argv: ["npm", "run", "1"] }, [
        "key:args=argv",
        "type:argv",
      ]],
      ["command_run", { argv: ["npm", "test"], command: "npm test" }, { argv: ["npm", "test"] }, [
        "left_out:command",
      ]],
      ["command_run", { command: `cd ${ROOT}/web && npm test 2>&1` }, {
        command: "npm test",
        cwd: "web",
      }, [
        "left_out:2>&1",
        "key:cd=cwd",
        "root:cwd",
      ]],
      ["finish", { status: "Submitted", message: 'ran "npm test"' }, {
        disposition: "submitted",
        evidence: 'ran "npm test"',
      }, ["key:status=disposition", "key:message=evidence", "choice:disposition"]],
      ["finish", { disposition: "question", question: "Which?", options: ["a", "b"], why: "so" }, {
        ...{ disposition: "question", evidence: "so", question: "Which?", choices: ["a", "b"] },
      }, ["key:options=choices", "key:why=evidence"]],
      ["finish", {
        disposition: "Question",
        question: { what: "Which?", choices: ["a"], why: "so" },
      }, {
        ...{ disposition: "question", evidence: "so", question: "Which?", choices: ["a"] },
      }, [
        "form:question.choices=choices",
        "form:question.why=evidence",
        "form:question.what=question",
        "choice:disposition",
      ]],
      ["finish", { disposition: "blocked", question: "Which?", choices: [{ label: "a" }] }, {
        ...{ disposition: "blocked", evidence: "Which?", question: "Which?", choices: ["a"] },
      }, ["form:choices", "form:question=evidence"]],
      ["finish", { disposition: "question", evidence: "Which?" }, {
        ...{ disposition: "question", evidence: "Which?" },
      }, []],
      ["finish", { disposition: "blocked", evidence: "no key" }, {
        ...{ disposition: "blocked", evidence: "no key" },
      }, []],
    ] as const
  ) assert.deepEqual(await read(name, given), [wanted, repairs], JSON.stringify(given));
});

Deno.test("what could mean two things stays an error that names the field, what came and a right call", async () => {
  for (
    const [name, given, why] of [
      [
        "file_read",
        { file_path: "a", filename: "b" },
        /"path" is missing.*"file_path" is no argument/s,
      ],
      ["file_read", { path: "a", file_path: "b" }, /"file_path" is no argument/],
      ["file_read", { path: "a", limit: "many" }, /"limit" is "many" \(string\)/],
      ["file_read", { path: "a", n: 5 }, /"n" is no argument/],
      ["file_read", { path: "a", limit: 1.5 }, /"limit" is "1\.5"/],
      ["file_read", { path: ["a"] }, /"path" is .*\(list\)/],
      ["file_read", { name: "file_write", arguments: { path: "a" } }, /"path" is missing/],
      [
        "file_edit",
        { path: "a", old: "x", new: "y", replace_all: true },
        /"replace_all" is no argument/,
      ],
      ["file_edit", { path: "a", old: "x" }, /"new" is missing/],
      ["file_write", { path: "a", content: { b: 1 } }, /"content" is .*\(object\)/],
      ["git_commit", { message: "m", paths: "" }, /"paths" is/],
      ["git_commit", { message: "m", paths: [] }, /"paths" is/],
      ["git_commit", { message: "m", paths: "['a', " }, /"paths" is/],
      ["command_run", { command: "a | b" }, /not run by a shell.*once for each command/],
      ["command_run", { argv: ["npm test && rm x"] }, /not run by a shell/],
      ["command_run", { command: "cd - && npm test" }, /not run by a shell/],
      [
        "command_run",
        { command: "x", run_in_background: true },
        /"run_in_background" is no argument/,
      ],
      ["command_run", {}, /"argv" is missing/],
      ["finish", { result: "done" }, /"disposition" is missing/],
      ["file_read", '{"path": "a', /cut off/],
    ] as const
  ) {
    const fault = await read(name, given);
    assert.ok(typeof fault === "string", `${JSON.stringify(given)} ${JSON.stringify(fault)}`);
    assert.match(fault, why);
    assert.match(fault, new RegExp(`\n${name} takes \\{.*\\}, such as \\{".*\\}$`));
  }
});

Deno.test("each example is a right call", async () => {
  for (const tool of TOOLS) {
    const example = exampleOf(tool);
    if (example === undefined) continue;
    const result = await parsed(tool, example);
    assert.deepEqual(result.ok && result.repairs, [], `${tool.name} ${example}`);
  }
});

Deno.test("names of others are names of nothing else: each means one argument that the tool has", () => {
  for (const [name, keys] of Object.entries(OTHER_KEYS)) {
    const declared = Object.keys(
      definitionOf(named(name)).function.parameters["properties"] as object,
    );
    for (const ours of Object.keys(keys)) assert.ok(declared.includes(ours), `${name}.${ours}`);
    const count = Object.values(keys).join(" ").split(" ").length;
    assert.equal(otherKeysOf(name).size, count, `${name} has a name twice`);
    for (const other of otherKeysOf(name).keys()) {
      assert.ok(!declared.includes(other), `${name} ${other}`);
    }
  }
});

for (const tool of TOOLS) {
  Deno.test(`${tool.name} gets the same arguments however they are written`, async () => {
    await fc.assert(
      fc.asyncProperty(validArgs(tool), async (args) => {
        const right = await parsed(tool, args);
        assert.ok(right.ok, `${JSON.stringify(args)} ${JSON.stringify(right)}`);
        assert.deepEqual(right.repairs, []);
        for (const [how, written] of mutations(tool, args, ROOT)) {
          const result = await parsed(tool, written);
          assert.deepEqual(
            result.ok ? result.args : result,
            right.args,
            `${how}: ${String(written)}`,
          );
          // Read again, as the conversation has it, it is right.
          if (!result.ok) continue;
          const again = await parsed(tool, JSON.stringify(result.given));
          assert.deepEqual(again, { ...right, given: result.given }, how);
        }
      }),
      { numRuns: 15 },
    );
  });
}

Deno.test("hostile arguments are read without a throw, in time that grows with their length", async () => {
  const long = "x".repeat(1_000_000);
  let deep: unknown = "x";
  for (let at = 0; at < 20_000; at++) deep = at % 2 === 0 ? [deep] : { arguments: deep };
  const keys = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`file_path${at}`, at]),
  );
  const odd = [
    ...[long, `{"path": "${long}`, `{"path": "${long}",}`, { path: long }, { [long]: long }, keys],
    ...[{ path: deep }, { arguments: deep }, { argv: deep }, { argv: `[${long}` }, {
      command: long,
    }],
    ...[{ argv: long.replaceAll("x", "a ") }, { command: '"'.repeat(1_000_001) }, { limit: long }],
    ...[JSON.parse('{"__proto__": {"path": "a"}}'), JSON.parse('{"arguments": {"__proto__": 1}}')],
    ...[{ constructor: "a", toString: "b", hasOwnProperty: 1 }, "[".repeat(100_000), {
      path: { toString: 1 },
    }],
    ...[{ recursive: { toString: 1 } }, { shell: {}, timeout: {}, args: {} }, {
      view_range: [{}, {}],
    }],
  ];
  const some = ["file_read", "grep", "command_run", "ticket_create"];
  for (const name of some) for (const given of odd) await parsed(named(name), given);
  assert.equal(({} as Record<string, unknown>)["path"], undefined);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...TOOLS), fc.anything(), async (tool, given) => {
      await parsed(tool, given);
    }),
  );
});
