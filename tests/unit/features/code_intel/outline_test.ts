import assert from "node:assert/strict";
import { codeSymbols } from "svc/features/tools/code_symbols.ts";
import { toolPlace } from "tests/kit/tool_place.ts";
import { POLYGLOT } from "./polyglot.ts";

/** What each file defines, as the outline shows it. */
const OUTLINES: Readonly<Record<string, string>> = {
  "web/cart.ts": `constant LIMIT 4
enum Size 5
interface Line 6
  method total 6
type Lines 7
class Cart 8-16
  method constructor 9
  method total 11-14
    function inner 12
  method empty 15
function show 17
function walk 18
module Deep 19
  function dig 19`,
  "web/view.tsx": "function View 2",
  "web/old.js": `class Old 2
  method run 2
function start 3
constant total 4`,
  "py/shop/cart.py": `constant LIMIT 5
class Cart 7-12
  method total 9-10
  method load 12
function price_of 14-15`,
  "store/store.go": `constant Limit 3
constant Default 5
struct Store 7
interface Totaler 9
  method Total 9
type ID 11
function Open 13
method Store.Total 15`,
  "rs/src/lib.rs": `constant LIMIT 4
function run 5
macro shop 6`,
  "rs/src/cart.rs": `struct Cart 1
enum Size 2
trait Totals 3
  method total 3
method Cart.total 5
type Lines 7`,
  "jv/src/org/shop/Cart.java": `class Cart 4-10
  constant LIMIT 5
  method Cart 6
  method total 7
  interface Line 8
  enum Size 9`,
  "cs/Cart.cs": `module Shop 2-12
  interface ILine 3
    method Total 3
  struct Point 4
  enum Size 5
  class Cart 6-11
    constant Limit 7
    method Cart 8
    method Count 9
    method Total 10`,
  "rb/lib/cart.rb": `module Shop 2-9
  constant LIMIT 3
  class Cart 4-8
    method total 5
    method empty? 6
    method open 7
function price_of 10`,
  "ph/src/Cart.php": `module App\\Shop 2
constant LIMIT 4
interface Line 5
trait Totals 6
  method total 6
enum Size 7
class Cart 8
  constant MAX 8
  method total 8
function open_cart 9`,
  "sh/run.sh": `constant LIMIT 3
function total 4`,
  "cc/cart.cpp": `constant LIMIT 3
module shop 4-7
  method total 5
  function find 6`,
  "cc/cart.h": `struct Line 1
class Cart 2
  method size 2
enum Size 3
type id_t 4`,
};

Deno.test("code_symbols outlines a file of each language", async () => {
  await using at = await toolPlace({ files: POLYGLOT });
  for (const [path, outline] of Object.entries(OUTLINES)) {
    const { status, text } = await at.call(codeSymbols, { path });
    const count = outline.split("\n").length;
    assert.deepEqual([status, text], ["ok", `[${path}: ${count} definitions]\n${outline}`]);
  }
});

/** What people write in C and C++ beside plain functions. */
const DECLARATORS = {
  "cart.cpp": `const std::string& Cart::name() const { return name_; }
Cart* Cart::next() { return next_; }
Cart::~Cart() {}
bool Cart::operator==(const Cart& other) const { return true; }
int shop::deep::Cart::total() { return 1; }
std::ostream& operator<<(std::ostream& out, const Cart& cart) { return out; }
struct Line { int& cents() { return c; } Line* self() { return this; } ~Line() {} int c; };
int total();
`,
  "names.c": `const char *const *names(void) { return 0; }
struct device *find(struct device *d) { return d; }
typedef struct device *device_t;
typedef int (*compare_fn)(int, int);
`,
};

Deno.test("code_symbols outlines C and C++ that returns pointers and references, or is no plain function", async () => {
  await using at = await toolPlace({ files: DECLARATORS });
  const outline = async (path: string) => (await at.call(codeSymbols, { path })).text;
  assert.equal(
    await outline("cart.cpp"),
    `[cart.cpp: 10 definitions]
method Cart.name 1
method Cart.next 2
method Cart.~Cart 3
method Cart.operator== 4
method Cart.total 5
function operator<< 6
struct Line 7
  method cents 7
  method self 7
  method ~Line 7`,
  );
  assert.equal(
    await outline("names.c"),
    `[names.c: 4 definitions]
function names 1
function find 2
type device_t 3
type compare_fn 4`,
  );
  const { text } = await at.call(codeSymbols, { name: "Cart::next" });
  assert.equal(text, "cart.cpp:2 method Cart.next");
});

Deno.test("code_symbols outlines functions in fields and objects, and members of interfaces", async () => {
  const files = {
    "app.jsx": `class App {
  click = () => {};
  static make = function () {};
}
const handlers = { open() {}, close: () => {} };
ask({ done: () => {} });
`,
    "kinds.d.ts": "export declare const VERSION: string;\n",
    "total.go": "package a\n\ntype Totaler interface {\n\tTotal() int\n}\n",
    "cart.cs": "namespace Shop;\nclass Cart {}\n",
    "cart.rb": "class Cart\n  class << self\n    def open; end\n  end\nend\n",
  };
  await using at = await toolPlace({ files });
  const outlines: string[] = [];
  for (const path of Object.keys(files)) {
    outlines.push((await at.call(codeSymbols, { path })).text.split("\n").slice(1).join("; "));
  }
  assert.deepEqual(outlines, [
    "class App 1-4;   method click 2;   method make 3; constant handlers 5;   method open 5;   method close 5",
    "constant VERSION 1",
    "interface Totaler 3-5;   method Total 4",
    "module Shop 1; class Cart 2",
    "class Cart 1-5;   method open 3",
  ]);
});

Deno.test("code_symbols outlines what it can of a file with syntax errors", async () => {
  await using at = await toolPlace({
    files: { "a.ts": "function one() {}\nclass {{{ ] const\nfunction two() {}\n" },
  });
  const { status, text } = await at.call(codeSymbols, { path: "a.ts" });
  assert.equal(status, "ok");
  assert.match(text, /^\[a\.ts: \d+ definitions; it has syntax errors, so some may be missing\]/);
  assert.match(text, /function one 1/);
});

Deno.test("code_symbols says why a file has no outline, and what to do", async () => {
  await using at = await toolPlace({
    files: {
      "big.ts": "const a = 1;\n".repeat(400_000),
      "bin.ts": new Uint8Array([99, 0, 99]),
      "notes.txt": "words\n",
      "real.ts": "export const x = 1;\n",
      ".harness/.env.local.ts": "const KEY = 1;\n",
    },
  });
  await Deno.symlink("real.ts", `${at.repo.path}/link.ts`);
  const text = async (path: string) => {
    const { status, text } = await at.call(codeSymbols, { path });
    assert.equal(status, "failed", path);
    return text;
  };
  assert.match(await text("big.ts"), /has no outline: it has 5200000 bytes; .*Use grep/);
  assert.match(await text("bin.ts"), /has no outline: it is a binary file\. Use grep or file_read/);
  assert.match(await text("notes.txt"), /its language is not one that is parsed/);
  assert.equal(await text("link.ts"), '"link.ts" is a link, which is not followed; name a file');
  assert.match(await text("rael.ts"), /Did you mean "real.ts"/);
  assert.match(await text(".harness/.env.local.ts"), /it may hold credentials/);
});

Deno.test("without a parser the code tools answer from the text, and say so", async () => {
  await using at = await toolPlace({ files: { "a.ts": "function one() {}\n" } });
  const { parsers: _, ...session } = at.session;
  const box = at.box([codeSymbols], { session });
  const { signal } = new AbortController();
  const { status, text } = await box.call("code_symbols", { path: "a.ts" }, { signal });
  assert.deepEqual([status, text], [
    "failed",
    '"a.ts" has no outline: code is not parsed here. Use grep or file_read',
  ]);
});
