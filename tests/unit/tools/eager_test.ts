import assert from "node:assert/strict";
import { eager, namesAt } from "tools/eager.ts";

const names = (...all: string[]) => new Set(all);

Deno.test("eager puts called functions in parentheses, and those without a name in them", () => {
  const code = `import { far } from "./far.js";
var first = sum(1);
function sum(one) { return [one].map((each) => each + far); }
async function* stream() { yield 1; }
function never() { return () => 1; }
var add = async (one) => one, other = () => 2;
var box = { open() { return 1; }, close: function () {}, async *all() {}, "not-named"() {} };
export { add, box, first, never, other, stream, sum };
`;
  const called = names("sum", "stream", "add", "box.open", "box.close", "box.all", "gone");
  assert.equal(
    eager(code, called),
    `import { far } from "./far.js";
var sum = (function(one) { return [one].map(((each) => each + far)); });
var stream = (async function*() { yield 1; });
var first = sum(1);


function never() { return () => 1; }
var add = (async (one) => one), other = () => 2;
var box = { open: (function() { return 1; }), close: (function () {}), all: (async function*() {}), "not-named"() {} };
export { add, box, first, never, other, stream, sum };
`,
  );
});

/** Every name in it is called, so that whatever can stand in parentheses does. */
const PROGRAM = `
said.push(early(), typeof later);
function early(name = "é😀") { return name + early.name; }
var later = function () { return later.name; };
function count(n) { return n === 0 ? 0 : 1 + count(n - 1); }
function Old() { this.made = new.target === Old; }
function changed() { changed = () => "changed"; return "first"; }
async function waits() { return await (async () => 1)(); }
function* parts() { yield* [1, 2]; }
function outer(word = "outer") { return inner()(); function inner() { return () => word; } }
class Base { word() { return "base"; } static made = () => new Base(); }
var proto = { word() { return "proto"; } };
var box = { __proto__: proto, word() { return super.word() + "!"; }, plain() { return this.get; },
  get get() { return "got"; }, set set(value) { said.push(value); }, ["com" + "puted"]() { return 1; },
  async late() { return 2; }, 7() { return 7; }, if() { return "if"; }, nested: { arrow: () => this } };
box.set = "set";
const { taken = () => "default" } = {};
said.push(later(), count(3), new Old().made, changed(), changed(), ...parts(), outer(),
  Base.made().word(), box.word(), box.plain(), box.computed(), box[7](), box.if(), box.nested.arrow(),
  taken(), taken.name, box.plain.name, (() => (() => 5)())(), parts.name, waits.name,
  ((one) => one)("called"), (function () { return arguments.length; })(1, 2));
said.push(await waits(), await box.late());
export default said;
`;

Deno.test("eager changes nothing of what a program does", async () => {
  const said = async (code: string) => {
    const url = URL.createObjectURL(
      new Blob([`var said = [];\n${code}`], { type: "text/javascript" }),
    );
    const { default: words } = await import(url);
    URL.revokeObjectURL(url);
    return words;
  };
  const changed = eager(PROGRAM, names(...namesAt(PROGRAM)));
  for (const part of ["var early = (function(", "plain: (function()", "((one) => one)"]) {
    assert.ok(changed.includes(part), part);
  }
  assert.deepEqual(await said(changed), await said(PROGRAM));
});

Deno.test("eager names a function by what is around it, as V8 says where it begins", () => {
  const code = "function one() { return list.map((x) => x); }\nvar two$1 = { deep3: () => 1 };\n";
  assert.deepEqual(namesAt(code, new Set([code.indexOf("()")])), ["one"]);
  assert.deepEqual(namesAt(code, new Set([code.indexOf("(x)")])), ["one"]);
  assert.deepEqual(namesAt(code, new Set([code.lastIndexOf("() =>")])), ["two.deep"]);
});
