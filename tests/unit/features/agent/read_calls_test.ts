import assert from "node:assert/strict";
import { runAgent } from "svc/features/agent/loop.ts";
import { TOOLS } from "svc/features/tools/all.ts";
import type { ToolOutcome } from "svc/features/tools/tool.ts";
import { toolPlace } from "tests/kit/tool_place.ts";
import { call, calling, finishing, rig } from "./scripted_run.ts";

Deno.test("a run goes on with calls that a model wrote otherwise, and sends them back as they should be", async () => {
  await using at = await toolPlace({ files: { "a.txt": "one\n" } });
  const run = rig([
    calling(
      call("functions.file_read", `{"file_path": "a.txt", "limit": "5",}`),
      call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }),
    ),
    calling(call("finish<|channel|>commentary", { disposition: "submitted", message: "done" })),
  ], { plan: { toolbox: at.box(TOOLS) } });
  const end = await runAgent(run.plan);
  assert.deepEqual([end.disposition, end.evidence, end.toolCalls], ["submitted", "done", 2]);
  assert.equal(await at.repo.read("a.txt"), "two\n");

  const said = run.model.requests[1]!.messages.find((one) => one.role === "assistant")!;
  assert.deepEqual(said.calls.map(({ name, args }) => [name, args]), [
    ["file_read", '{"path":"a.txt","limit":5}'],
    ["file_edit", '{"path":"a.txt","old":"one","new":"two"}'],
  ]);
  const told = run.model.requests[1]!.messages.filter((one) => one.role === "tool");
  assert.doesNotMatch(told[0]!.text, /There is no tool/, "a spelling needs no word");
  assert.match(told[1]!.text, /There is no tool "Edit": file_edit was called\]$/);

  const [reply] = run.trace.records.filter(({ kind }) => kind === "reply");
  const written = reply!["written"] as { name: string; args: string }[];
  assert.deepEqual(written.map(({ name, args }) => [name, args]), [
    ["functions.file_read", '{"file_path": "a.txt", "limit": "5",}'],
    ["Edit", '{"file_path":"a.txt","old_string":"one","new_string":"two"}'],
  ]);
  const outcomes = run.trace.records.filter(({ kind }) => kind === "turn")
    .flatMap((turn) => turn["outcomes"] as ToolOutcome[]);
  assert.deepEqual(outcomes.map(({ tool, facts }) => [tool, facts["repairs"]]), [
    ["file_read", [
      "name:functions.file_read=file_read",
      "json",
      "key:file_path=path",
      "type:limit",
    ]],
    [
      "file_edit",
      ["tool:Edit=file_edit", "key:file_path=path", "key:old_string=old", "key:new_string=new"],
    ],
    ["finish", ["name:finish<|channel|>commentary=finish", "key:message=evidence"]],
  ]);
});

Deno.test("the same call in another spelling is the same call: a circle is noticed", async () => {
  await using at = await toolPlace({ files: { "a.txt": "one\n" } });
  const spellings = [
    call("file_read", { path: "a.txt" }),
    call("Read", { file_path: "a.txt" }),
    call("functions.file_read", '{"path": "a.txt",}'),
    call("file_read", { filename: "a.txt" }),
    call("read_file", { path: "a.txt" }),
    call("file_read", '{"path": "a.txt"}'),
  ];
  const run = rig(spellings.map((one) => calling(one)), { plan: { toolbox: at.box(TOOLS) } });
  const end = await runAgent(run.plan);
  assert.deepEqual([end.disposition, end.category], ["stuck", "stuck"]);
  assert.match(end.evidence, /file_read.*5 times/);
});

Deno.test("what a reply's limit cut off is not mended, and what a vendor signed goes back as it came", async () => {
  await using at = await toolPlace({ files: { "a.txt": "one\n" } });
  const signed = {
    ...call("Read", { file_path: "a.txt" }),
    extra: { google: { thought_signature: "s" } },
  };
  const run = rig([
    calling(signed),
    {
      ...calling(
        call("file_write", '{"path": "b.txt", "content": "whole"'),
        call("file_write", '{"path": "c.txt", "content": "half"'),
      ),
      end: "length",
    },
    finishing(),
  ], { plan: { toolbox: at.box(TOOLS) } });
  await runAgent(run.plan);
  const [sent, cut] = run.model.requests[2]!.messages
    .flatMap((one) => one.role === "assistant" ? [one.calls] : []);
  assert.deepEqual(sent, [signed]);
  assert.deepEqual(cut!.map(({ args }) => args), [
    '{"path":"b.txt","content":"whole"}',
    '{"path": "c.txt", "content": "half"',
  ]);
  assert.equal(await at.repo.read("b.txt"), "whole");
  await assert.rejects(at.repo.read("c.txt"));
});
