import assert from "node:assert/strict";
import { codeReferences } from "svc/features/tools/code_references.ts";
import { codeRelated } from "svc/features/tools/code_related.ts";
import { codeSymbols } from "svc/features/tools/code_symbols.ts";
import { definitionOf } from "svc/features/tools/definitions.ts";
import { toolPlace } from "tests/kit/tool_place.ts";
import { POLYGLOT } from "tests/unit/features/code_intel/polyglot.ts";

Deno.test("code_symbols finds where a name is defined, in any language", async () => {
  await using at = await toolPlace({ files: POLYGLOT });
  const text = async (args: unknown) => (await at.call(codeSymbols, args)).text;
  const total = `cc/cart.cpp:5 method Cart.total
jv/src/org/shop/Cart.java:7 method Cart.total
ph/src/Cart.php:6 method Totals.total
ph/src/Cart.php:8 method Cart.total
py/shop/cart.py:9-10 method Cart.total
rb/lib/cart.rb:5 method Cart.total
rs/src/cart.rs:3 method Totals.total
rs/src/cart.rs:5 method Cart.total
sh/run.sh:4 function total
web/cart.ts:6 method Line.total
web/cart.ts:11-14 method Cart.total
web/old.js:4 constant total`;
  assert.equal(await text({ name: "total" }), total);
  assert.equal(await text({ name: "total" }), total);
  assert.equal(await text({ name: "Store.Total" }), "store/store.go:15 method Store.Total");
  assert.equal(
    await text({ name: "Totals::total", kind: "method" }).then((all) => all.split("\n")[0]),
    "ph/src/Cart.php:6 method Totals.total",
  );
  assert.equal(await text({ name: "total", kind: "function" }), "sh/run.sh:4 function total");
  assert.equal(
    await text({ name: "PRICE_OF" }),
    '["PRICE_OF" is defined in another case only]\npy/shop/cart.py:14-15 function price_of\nrb/lib/cart.rb:10 function price_of',
  );
  assert.equal(
    await text({ name: "open_c" }),
    '["open_c" is defined as the start of other names only]\nph/src/Cart.php:9 function open_cart',
  );
  assert.equal(
    await text({ name: "nowhere" }),
    'No definition of "nowhere" was found. Use code_references or grep for its uses',
  );
  assert.equal(await text({}), "Give path for the outline of a file, or name to find a symbol");
  assert.match(
    await text({ path: "web/cart.ts", name: "total" }),
    /definitions\]\n {2}method total/,
  );
});

Deno.test("code_symbols finds a definition that stands behind another in its line", async () => {
  await using at = await toolPlace({ files: { "a.js": "var first = f(1), second = 2;\n" } });
  assert.equal((await at.call(codeSymbols, { name: "second" })).text, "a.js:1 constant second");
});

Deno.test("names with the signs of expressions mean themselves", async () => {
  await using at = await toolPlace({
    files: {
      "a.rb": "def empty?; end\ndef emptyx; end\n",
      "b.js": "function $store() {}\n$store();\n",
    },
  });
  assert.equal((await at.call(codeSymbols, { name: "empty?" })).text, "a.rb:1 function empty?");
  assert.equal((await at.call(codeSymbols, { name: "$store" })).text, "b.js:1 function $store");
  assert.equal(
    (await at.call(codeReferences, { name: "$store" })).text,
    "b.js\n1: definition: function $store() {}\n2: call: $store();",
  );
  for (const name of ["a(", "[", "x{2,", "\\", ".*", "(?:a+)+$", "a|b", "--help"]) {
    assert.equal((await at.call(codeSymbols, { name })).status, "ok", name);
    assert.equal((await at.call(codeReferences, { name })).status, "ok", name);
  }
  assert.equal((await at.call(codeSymbols, { name: "a\nb" })).status, "invalid");
});

Deno.test("code_references tells uses apart", async () => {
  await using at = await toolPlace({
    files: {
      "a.ts": `import { Price } from "./p.ts";
// Price of it
const text = "Price";
function of(one: Price): Price[] { return [new Price(one)]; }
const shown = \`\${of(Price.zero)} Price\`;
Price.from(1);
x.Price = 1;
`,
      "b.py": "from p import Price\ndef f(p: Price): return Price(p)\n",
      "notes.md": "The Price is right\n",
      "p.ts": "export class Price {}\n",
    },
  });
  assert.equal(
    (await at.call(codeReferences, { name: "Price" })).text,
    `a.ts
1: import: import { Price } from "./p.ts";
2: text: // Price of it
3: text: const text = "Price";
4: call: function of(one: Price): Price[] { return [new Price(one)]; }
5: use: const shown = \`\${of(Price.zero)} Price\`;
6: use: Price.from(1);
7: use: x.Price = 1;
b.py
1: import: from p import Price
2: call: def f(p: Price): return Price(p)
notes.md [not parsed: its language is not one that is parsed]
1: ?: The Price is right
p.ts
1: definition: export class Price {}`,
  );
  assert.equal(
    (await at.call(codeReferences, { name: "Price", path: "p.ts" })).text,
    "p.ts\n1: definition: export class Price {}",
  );
  assert.match((await at.call(codeReferences, { name: "of", path: "a.t" })).text, /Did you mean/);
});

Deno.test("code_references shows a hundred lines, and counts the rest", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`f${at}.ts`, "needle();\n".repeat(15)]),
  );
  await using at = await toolPlace({ files: many });
  const { text, facts } = await at.call(codeReferences, { name: "needle" });
  assert.equal(text.split("\n").filter((line) => line.includes(": call: ")).length, 100);
  assert.match(text, /\n\[35 more lines, in 2 more files; narrow it by path\]$/);
  assert.deepEqual(facts, { lines: 100, more: 35, complete: true });
});

Deno.test("code_related tells imports, importers and tests, in each language", async () => {
  await using at = await toolPlace({ files: POLYGLOT });
  const text = async (path: string) => (await at.call(codeRelated, { path })).text;
  assert.equal(
    await text("web/cart.ts"),
    `Imports:
  web/format.ts (as "./format.js")
  web/price/index.ts (as "./price")
Imports from elsewhere: zod
Imported by:
  web/cart.test.ts (as "./cart.ts")
  web/view.tsx (as "@/web/cart")
Tested by:
  web/cart.test.ts (by its name)`,
  );
  assert.match(await text("web/cart.test.ts"), /Tests:\n {2}web\/cart.ts \(by its name\)$/);
  assert.match(await text("web/legacy.mjs"), /Imported by:\n {2}web\/old.js/);
  const python = await text("py/shop/cart.py");
  assert.match(python, /py\/shop\/price.py \(as "\.price \(Price\)"\)/);
  assert.match(python, /Imported by:\n {2}py\/tests\/test_cart.py \(as "shop.cart \(Cart\)"\)/);
  assert.match(await text("store/store.go"), /Imported by:\n {2}cmd\/main.go/);
  assert.match(await text("cmd/main.go"), /store\/store.go .*\nImports from elsewhere: fmt/);
  assert.match(await text("rs/src/cart.rs"), /Imported by:\n {2}rs\/src\/lib.rs/);
  assert.match(await text("jv/src/org/shop/Cart.java"), /price\/Price.java .*[^]*CartTest.java/);
  assert.match(await text("rb/lib/price.rb"), /Imported by:\n {2}rb\/lib\/cart.rb/);
  assert.match(await text("rb/lib/cart.rb"), /Imported by:\n {2}rb\/spec\/cart_spec.rb/);
  assert.match(await text("ph/src/Price/Money.php"), /Imported by:\n {2}ph\/src\/Cart.php/);
  assert.match(await text("sh/shared.sh"), /Imported by:\n {2}sh\/run.sh/);
  assert.match(await text("cc/cart.h"), /Imported by:\n {2}cc\/cart.cpp/);
  assert.match(await text("go.mod"), /Its imports are not known/);
  assert.match(await text("web"), /"web" is a folder; name a file/);
});

Deno.test("code_related names what changed in the same commits, most often first", async () => {
  await using at = await toolPlace({
    files: { "a.ts": "0", "b.ts": "0", "c.ts": "0", "d.ts": "0" },
  });
  await at.repo.commit("two", { "a.ts": "1", "b.ts": "1", "gone.ts": "1" });
  await at.repo.commit("three", { "a.ts": "2", "b.ts": "2", "c.ts": "2", "gone.ts": "2" });
  await at.repo.git("rm", "--quiet", "gone.ts");
  await at.repo.commit("four", { "c.ts": "3", "d.ts": "3" });
  const bulk = Array.from({ length: 60 }, (_, file) => [`bulk/${file}.ts`, "x"]);
  await at.repo.commit("bulk", { ...Object.fromEntries(bulk), "a.ts": "9", "d.ts": "9" });
  assert.equal(
    (await at.call(codeRelated, { path: "a.ts" })).text,
    "Changed together with:\n  b.ts (in 3 of 3 commits)\n  c.ts (in 2 of 3 commits)",
  );
});

Deno.test("links are not followed, ignored and key files not shown", async () => {
  await using at = await toolPlace({
    files: { ".gitignore": "out/\n", "real.ts": "export function needle() {}\n" },
  });
  await at.repo.write("out/made.ts", "export function needle() {}\n");
  await at.repo.write(".harness/.env.ts", "export function needle() {}\n");
  await Deno.symlink("real.ts", `${at.repo.path}/link.ts`);
  await Deno.mkdir(`${at.repo.path}/real`);
  await Deno.symlink("real", `${at.repo.path}/folder`);
  await at.repo.write("real/deep.ts", "needle();\n");
  await at.repo.git("add", "--all", "--force");
  assert.equal(
    (await at.call(codeSymbols, { name: "needle" })).text.includes("link.ts"),
    false,
  );
  await at.repo.git("rm", "--quiet", "--cached", "out/made.ts");
  assert.equal((await at.call(codeSymbols, { name: "needle" })).text, "real.ts:1 function needle");
  assert.equal(
    (await at.call(codeReferences, { name: "needle" })).text,
    "real.ts\n1: definition: export function needle() {}\nreal/deep.ts\n1: call: needle();",
  );
});

Deno.test("the code tools take little room in a request", () => {
  const size = [codeSymbols, codeReferences, codeRelated]
    .map((tool) => JSON.stringify(definitionOf(tool)).length);
  assert.ok(size.reduce((sum, one) => sum + one) < 2400, `${size}`);
});
