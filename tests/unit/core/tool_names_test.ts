import assert from "node:assert/strict";
import fc from "fast-check";
import {
  bareToolName,
  callableToolName,
  counterpartOf,
  offeredToolName,
} from "svc/core/tool_names.ts";
import { TOOLS } from "svc/features/tools/all.ts";

const OFFERED = new Map(TOOLS.map(({ name }) => [name, name]));

Deno.test("a tool's name is known with prefix, suffix, quotes and in another case", () => {
  for (
    const written of [
      ...["file_read", " file_read ", "file_read()", "file_read(", '"file_read"', "`file_read`"],
      ...["functions.file_read", "function.file_read", "tools.file_read", "default_api.file_read"],
      ...["default_api:file_read", "svc__file_read", "mcp__svc__file_read", "svc.file_read"],
      ...[
        "file_read<|channel|>commentary",
        "file_read<|constrain|>json",
        "file_read <|channel|>json",
      ],
      ...[
        "<|channel|>commentary to=functions.file_read <|constrain|>json",
        "to=functions.file_read",
      ],
      ...["functions.file_read:0", "functions.tools.file_read", "file_read:12", "file_read\n"],
      ...["file-read", "FileRead", "fileRead", "FILE_READ", "File Read", "fileread", "file.read"],
    ]
  ) assert.equal(offeredToolName(written, OFFERED), "file_read", written);
  for (const { name } of TOOLS) {
    assert.equal(offeredToolName(`functions.${name}<|channel|>commentary`, OFFERED), name);
  }
});

Deno.test("a name is not guessed: another namespace, a part of a name or two that fit are none", () => {
  for (
    const written of ["", "  ", "evil.file_write", "file", "file_read_all", "file_red", "_", "<|"]
  ) {
    assert.equal(offeredToolName(written, OFFERED), undefined, written);
  }
  const twins = new Set(["repo_a_b", "repo_ab"]);
  assert.equal(offeredToolName("repoAB", twins), undefined);
  assert.equal(offeredToolName("repo_ab", twins), "repo_ab");
});

Deno.test("an offered tool wins over another agent's of that name", () => {
  const own = new Set(["bash", "file_read", "command_run"]);
  assert.equal(callableToolName("bash", own), "bash");
  assert.equal(callableToolName("Bash", own), "bash");
  assert.equal(callableToolName("functions.Read", own), "Read");
  assert.equal(callableToolName("grep_search", own), undefined, "nothing like it is offered");
  assert.equal(callableToolName("TodoWrite", own), "TodoWrite", "answered without a tool");
  assert.equal(callableToolName("main", own), undefined);
});

Deno.test("names of other agents' tools name tools of svc, and none of svc's own", () => {
  assert.equal(counterpartOf("container.exec"), "command_run");
  assert.equal(counterpartOf("MultiEdit"), "file_edit");
  assert.equal(counterpartOf("todowrite"), "");
  for (const { name } of TOOLS) assert.equal(counterpartOf(name), undefined, name);
  const ours = new Set(TOOLS.map(({ name }) => counterpartOf(name) ?? name));
  for (const name of ["read_file", "ls", "file_search", "search_files", "bash", "submit"]) {
    assert.ok(ours.has(counterpartOf(name)!), name);
  }
});

Deno.test("no name throws, and what is read from one reads the same again", () => {
  const pieces = fc.constantFrom(
    "functions.",
    "<|",
    "to=",
    "()",
    ":0",
    "__",
    " ",
    "svc",
    "file_read",
  );
  const names = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 12 }).map((all) => all.join("")),
  );
  fc.assert(fc.property(names, (written) => {
    const found = callableToolName(written, OFFERED);
    if (found !== undefined) assert.equal(callableToolName(found, OFFERED), found);
    assert.ok(bareToolName(written).length <= 200);
  }));
  assert.equal(offeredToolName("a".repeat(1_000_000), OFFERED), undefined);
});
