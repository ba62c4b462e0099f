/** Metadata at the top of pages and code, in the comments of their languages. */
import assert from "node:assert/strict";
import { readMetadata } from "svc/features/docsync/metadata.ts";
import { namedCommands } from "svc/features/docsync/named_commands.ts";
import { taskFault } from "svc/features/docsync/tasks.ts";
import { namedCommandFault } from "svc/cli/named_command.ts";
import { TREE } from "svc/cli/tree.gen.ts";

const pathsOf = (text: string, page = true) => readMetadata(text, page)?.paths;

Deno.test("pages and code say their paths in a comment, or in the front matter", () => {
  const page = readMetadata(
    "# Guide\n\n<!-- doc-sync: src/a.ts, src/b/;\n  confirmed: 2026-01-31; skip: links commands -->\n",
    true,
  );
  assert.deepEqual(page, {
    line: 3,
    paths: ["src/a.ts", "src/b/"],
    confirmed: "2026-01-31",
    skip: ["links", "commands"],
    faults: [],
  });
  assert.deepEqual(pathsOf('---\ntitle: x\ndoc-sync: "src/a.ts; confirmed: 0123abc"\n---\n# A\n'), [
    "src/a.ts",
  ]);
  for (
    const line of [
      "// doc-sync: docs/a.md",
      "# docsync: docs/a.md",
      "/* doc-sync: docs/a.md */",
      " * Doc-Sync: docs/a.md",
      "-- doc-sync: docs/a.md",
      ";; doc-sync: docs/a.md",
      "<!-- doc-sync: docs/a.md -->",
    ]
  ) {
    assert.deepEqual(pathsOf(`#!/bin/x\n${line}\ncode\n`, false), ["docs/a.md"], line);
  }
});

Deno.test("what only speaks of metadata is none", () => {
  assert.equal(
    pathsOf("# A\n\nWrite `doc-sync: src/a.ts` at the top.\ndoc-sync: src/a.ts\n"),
    undefined,
  );
  assert.equal(pathsOf("```md\n<!-- doc-sync: src/a.ts -->\n```\n"), undefined);
  assert.equal(pathsOf('const x = "doc-sync: docs/a.md";\n', false), undefined);
  assert.equal(pathsOf(`${"x\n".repeat(500)}<!-- doc-sync: src/a.ts -->\n`), undefined);
});

Deno.test("metadata that nobody can mean is named", () => {
  const faults = (text: string) => readMetadata(`<!-- doc-sync: ${text} -->`, true)!.faults.length;
  assert.equal(faults("src/a.ts; confirmed: yesterday"), 1);
  assert.equal(faults("src/a.ts; confirmed: 2026-13-45"), 1);
  assert.equal(faults("src/a.ts; skip: everything"), 1);
  assert.equal(faults("src/a.ts; owner: ada"), 1);
  assert.equal(faults(""), 1);
  assert.equal(faults("; skip: commands"), 0);
  assert.equal(faults("src/a.ts; confirmed: 2026-01-31T10:00Z"), 0);
});

Deno.test("command lines are found in shells and in code within text, and nowhere else", () => {
  const page = 'Run `svc scan --json | jq .x`, not "svc eat" or `x svc`.\n\n' +
    "```sh\nA=1 svc start --yes \\\n  --plain && make test # svc no\n```\n\n" +
    "```\nsvc: Cannot\nsvc 0.1.0\n$ svc version\n```\n\n```ts\nsvc eat\n```\n";
  const lines = namedCommands(page, ["svc", "make"]).map(({ words }) => words.join(" "));
  assert.deepEqual(lines, [
    "svc scan --json",
    "svc start --yes --plain",
    "make test",
    "svc version",
  ]);
});

Deno.test("commands of svc are judged by the program's own tree", () => {
  const fault = (line: string) => namedCommandFault(TREE, line.split(" "));
  for (
    const line of [
      "scan --json",
      "tickets list|show T-0001",
      "help scan",
      "jobs tell <job> x",
      "tickets move T-0001 done",
      "--help",
      "update tool",
      "run engineer --ticket=T-0007 -- --not-ours",
      "jobs <command>",
    ]
  ) {
    if (line === "update tool" && TREE.commands[line] === undefined) continue;
    assert.equal(fault(line), undefined, line);
  }
  assert.equal(fault("eat"), 'svc has no command "eat"');
  assert.equal(fault("tickets list|eat"), 'svc has no command "tickets eat"');
  assert.equal(fault("scan --fast"), "svc scan has no flag --fast");
});

Deno.test("tasks are judged by the files that define them, where they are there", () => {
  const texts = new Map([
    ["Makefile", ".PHONY: a\na b: c ## it\n\ttrue\nX := y\nbench-%: a\n\ttrue\n"],
    ["package.json", '{"scripts":{"lint":"x"}}'],
    ["deno.json", '{ // it\n"tasks": {"gen": "x"} }'],
  ]);
  const fault = (line: string, files: ReadonlyMap<string, string> = texts) =>
    taskFault(files, line.split(" "));
  for (
    const line of [
      "make",
      "make a b",
      "make bench-run",
      "make -j2 a X=1",
      "make -C sub z",
      "make $(X)",
      "npm run lint",
      "npm test",
      "npm install x",
      "deno task gen",
      "deno test",
      "make <target>",
    ]
  ) {
    assert.equal(fault(line), undefined, line);
  }
  assert.match(fault("make z")!, /no target "z"/);
  assert.match(fault("npm run z")!, /no script "z"/);
  assert.match(fault("deno task z")!, /no task "z"/);
  assert.equal(fault("make z", new Map()), undefined);
  for (const rule of [".DEFAULT", "$(PROGRAMS)", "all ${TOOLS}"]) {
    const text = `all: a\n\n${rule}:\n\tcd src && $(MAKE) $@\n`;
    assert.equal(fault("make z", new Map([["Makefile", text]])), undefined, rule);
  }
  assert.match(fault("make z", new Map([["Makefile", "$(OUT)/a: b\n"]]))!, /no target "z"/);
});
