import assert from "node:assert/strict";
import { svc } from "tests/kit/entrance.ts";
import { TREE } from "svc/cli/tree.gen.ts";

const data = async (...words: string[]) => JSON.parse((await svc(words)).stdout);

Deno.test("help --json of a command has each flag that it declares, and no more", async () => {
  const visible = Object.entries(TREE.commands).filter(([, { hidden }]) => !hidden);
  const all = await data("--help", "--json");
  assert.equal(all.command, null);
  for (const [path, command] of visible) {
    const { ok, about, command: told } = await data("help", ...path.split(" "), "--json");
    assert.deepEqual([ok, about], [true, command.about]);
    assert.equal(told.flags.length, Object.keys(command.flags).length, path);
    assert.deepEqual(told.modes.map(({ name }: { name: string }) => name), command.modes);
    assert.equal(told.examples.length, command.examples.length);
    assert.deepEqual(Object.keys(told).sort(), SHAPE);
    assert.ok(all.commands.some((each: { path: string }) => each.path === path), path);
  }
  assert.ok(!JSON.stringify(all.commands).includes("internal"));
});

const SHAPE = [
  ...["aliases", "arguments", "details", "effect", "examples", "flags", "modes"],
  ...["refused_in_jobs", "rest", "usage"],
];

Deno.test("help --json tells what a flag takes", async () => {
  const { command: { flags } } = await data("-h", "start", "--json");
  const named = (name: string) => flags.find((flag: { name: string }) => flag.name === name);
  assert.deepEqual(named("concurrency"), {
    ...{ name: "concurrency", about: "How many jobs may run at a time", kind: "whole", value: "n" },
    ...{ required: false, repeated: false, default: 2, choices: [], min: 1, max: 64 },
  });
  assert.equal(named("debug").value, null);
});
