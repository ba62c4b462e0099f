import assert from "node:assert/strict";
import { type Findable, found, stepped } from "svc/dashboard/state/finder.ts";
import { verifies } from "tests/kit/verifies.ts";

const item = (group: string, text: string, about?: string): Findable => ({
  ...{ id: `${group} ${text}`, group, text, run: () => {} },
  ...(about !== undefined && { about }),
});

const ALL = [
  item("Pages", "Pipeline"),
  item("Pages", "Roles"),
  item("Actions", "Pause", "no new job starts"),
  item("Actions", "Run a role"),
  item("Roles", "pipeliner", "harbor"),
];

const texts = (query: string) => found(ALL, query).map(({ text }) => text);

verifies(
  ["4.2:pipeline:page"],
  "found takes all words, the beginning of a name before its middle, names before what is said about them",
  () => {
    assert.deepEqual(texts("rol"), ["Roles", "Run a role"]);
    assert.deepEqual(texts("job"), ["Pause"]);
    assert.deepEqual(texts("harbor PIPE"), ["pipeliner"]);
    assert.deepEqual(texts("nothing like it"), []);
    assert.deepEqual(texts(""), ALL.map(({ text }) => text));
  },
);

Deno.test("found shows a few of each group", () => {
  const many = Array.from({ length: 30 }, (_, nth) => item("Tickets", `T-${nth}`));
  assert.equal(found([...many, ...ALL], "").length, 8 + ALL.length);
});

Deno.test("stepped goes round the ends", () => {
  const ids = ["a", "b", "c"];
  assert.equal(stepped(ids, undefined, 1), "a");
  assert.equal(stepped(ids, undefined, -1), "c");
  assert.equal(stepped(ids, "c", 1), "a");
  assert.equal(stepped(ids, "a", -1), "c");
  assert.equal(stepped([], undefined, 1), undefined);
});
