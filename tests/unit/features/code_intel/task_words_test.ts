import assert from "node:assert/strict";
import fc from "fast-check";
import { partsOf, searchTerms, singular, taskWords } from "svc/features/code_intel/task_words.ts";

Deno.test("taskWords tells paths, names of code and telling words apart", () => {
  const found = taskWords(
    "Reject empty names: `addUser` and Store.save() of src/users.ts must check the name; " +
      "see parse_name in ./lib/names.py. Names with spaces are names too.",
  );
  assert.deepEqual(found.paths, ["src/users.ts", "lib/names.py"]);
  assert.deepEqual(found.names, ["addUser", "Store", "save", "parse_name"]);
  assert.deepEqual(found.words, ["name", "reject", "empty", "space"]);
});

Deno.test("taskWords knows paths of routes and in any letters, and members that are named like files", () => {
  const paths = (text: string) => taskWords(text).paths;
  const routes = [
    ...["src/app/[id]/page.tsx", "app/(auth)/login.tsx", "pages/[[...slug]].tsx"],
    ...["routes/+page.svelte", "routes/$user.tsx", "docs/größe.md"],
  ];
  assert.deepEqual(paths(`Look at ${routes.join(", ")}.`), routes);
  assert.deepEqual(paths("(see src/a.ts), [guide](docs/a.md), /src/b.ts:12, src/c.ts(12)"), [
    ...["src/a.ts", "docs/a.md", "src/b.ts", "src/c.ts"],
  ]);
  assert.deepEqual(paths("it goes and/ or [not], at https://example.com/a"), []);
  const { names } = taskWords("Cart.total rounds what store.addTax gives, says config.yaml");
  assert.deepEqual(names, ["Cart", "total", "store", "addTax"]);
});

Deno.test("taskWords finds nothing where a task says nothing of its own", () => {
  assert.deepEqual(taskWords("Fix this: it does not work"), { paths: [], names: [], words: [] });
  assert.deepEqual(taskWords(""), { paths: [], names: [], words: [] });
});

Deno.test("searchTerms gives names, their parts and words without endings, in lower case, and is bounded", () => {
  assert.deepEqual(searchTerms("Rounding of priceOf() for the CLI: it fails, and `add_tax` too"), [
    ...["round", "priceof", "price", "cli", "add_tax", "add", "tax"],
  ]);
  assert.deepEqual(searchTerms("do it for the user"), []);
  const many = Array.from({ length: 99 }, (_, at) => `word${"x".repeat(at)}`).join(" ");
  assert.equal(searchTerms(many).length, 32);
});

Deno.test("partsOf reads the customs of spelling names", () => {
  assert.deepEqual(partsOf("parseHTTPHead_2"), ["parse", "http", "head"]);
  assert.deepEqual(partsOf("retry-after"), ["retry", "after"]);
  assert.deepEqual(["prices", "status", "class", "bus"].map(singular), [
    ...["price", "status", "class", "bus"],
  ]);
});

Deno.test("taskWords is bounded and the same for the same text, whatever it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => {
      const { paths, names, words } = taskWords(text);
      assert.ok(paths.length <= 12 && names.length <= 6 && words.length <= 6);
      assert.deepEqual(taskWords(text), { paths, names, words });
    }),
    { numRuns: 100 },
  );
});

Deno.test("taskWords takes long hostile text in time", () => {
  for (
    const text of ["a/".repeat(8000), "a.".repeat(8000), "`".repeat(16000), "aB_".repeat(5000)]
  ) {
    assert.ok(taskWords(text).words.length <= 6);
  }
});
