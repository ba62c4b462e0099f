import assert from "node:assert/strict";
import type { CodeScope } from "svc/features/code_intel/code_file.ts";
import { suggest } from "svc/features/code_intel/suggest.ts";
import { toolPlace } from "tests/kit/tool_place.ts";
import { SHOP } from "./shop.ts";

async function shop(more: Readonly<Record<string, string>> = {}, scope: Partial<CodeScope> = {}) {
  const at = await toolPlace({ files: { ...SHOP, ...more } });
  const { tree: { git, folder }, parsers } = at.session;
  const signal = new AbortController().signal;
  const code: CodeScope = { git, folder, parsers, signal, allowed: () => true, ...scope };
  return { code, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

const pathsOf = (ranked: readonly { path: string }[]) => ranked.map(({ path }) => path);

Deno.test("suggest ranks the file that defines what a task speaks of, its tests and its document", async () => {
  await using at = await shop();
  const { ranked, complete } = await suggest(at.code, { text: "Round what `priceOf` gives" });
  assert.equal(complete, true);
  const [best] = ranked;
  assert.equal(best!.path, "src/price.ts");
  assert.deepEqual(best!.symbols.map(({ kind, name, line }) => [kind, name, line]), [
    ["function", "priceOf", 2],
  ]);
  assert.match(best!.why, /defines "priceOf"/);
  assert.deepEqual(pathsOf(ranked.filter(({ kind }) => kind === "test")), ["tests/price_test.ts"]);
  assert.deepEqual(pathsOf(ranked.filter(({ kind }) => kind === "doc")), ["docs/prices.md"]);
  assert.ok(pathsOf(ranked).includes("src/cart.ts"), "it imports what changes");
  assert.ok(!pathsOf(ranked).includes("src/mail.ts"));
  const again = await suggest(at.code, { text: "Round what `priceOf` gives" });
  assert.deepEqual(again.ranked, ranked);
});

Deno.test("suggest takes a path of the task at its word, also when only its end is written", async () => {
  await using at = await shop();
  for (const text of ["Look at src/mail.ts", "Look at mail.ts"]) {
    const { ranked } = await suggest(at.code, { text });
    assert.equal(ranked[0]!.path, "src/mail.ts");
    assert.match(ranked[0]!.why, /named in the task/);
    assert.ok(pathsOf(ranked).includes("tests/mail_test.ts"));
  }
});

Deno.test("suggest follows what is known to change, and does not suggest it", async () => {
  await using at = await shop();
  const { ranked } = await suggest(at.code, { text: "", changed: ["src/price.ts"] });
  const found = pathsOf(ranked);
  assert.ok(!found.includes("src/price.ts"));
  for (const path of ["src/cart.ts", "tests/price_test.ts", "docs/prices.md"]) {
    assert.ok(found.includes(path), path);
  }
});

Deno.test("suggest shows nothing that is not allowed, and ends when it is told to", async () => {
  await using at = await shop({ "secret/price.ts": "export function priceOf() {}\n" }, {
    allowed: (path) => !path.startsWith("secret/"),
  });
  const { ranked } = await suggest(at.code, { text: "`priceOf` in secret/price.ts" });
  assert.ok(ranked.length > 0);
  assert.ok(!pathsOf(ranked).some((path) => path.startsWith("secret/")));
  const ended = await suggest({ ...at.code, signal: AbortSignal.abort() }, { text: "`priceOf`" });
  assert.deepEqual(ended, { ranked: [], complete: false });
});

Deno.test("suggest does not wait for a step that never ends", async () => {
  await using at = await shop();
  const over = new AbortController();
  const code: CodeScope = {
    ...at.code,
    signal: over.signal,
    git: {
      ...at.code.git,
      listFiles: () => at.code.git.listFiles(),
      changedWith: (path) => at.code.git.changedWith(path),
      grep() {
        over.abort();
        return new Promise(() => {});
      },
    },
  };
  const { ranked, complete } = await suggest(code, { text: "Change src/mail.ts: sendMail" });
  assert.equal(complete, false);
  assert.equal(ranked[0]!.path, "src/mail.ts");
});

Deno.test("suggest ranks by paths and history where the words are not counted in time", async () => {
  await using at = await shop();
  const over = new AbortController();
  const code: CodeScope = {
    ...at.code,
    signal: over.signal,
    git: {
      ...at.code.git,
      wordCounts() {
        over.abort();
        return new Promise(() => {});
      },
    },
  };
  const { ranked, complete } = await suggest(code, { text: "What a price is" });
  assert.equal(complete, false);
  assert.equal(ranked[0]!.path, "src/price.ts");
});

Deno.test("suggest learns from the past of the commit that is checked out, never from later ones", async () => {
  const files = { ...SHOP, "src/far.ts": "export const far = 1;\n" };
  await using at = await toolPlace({ files });
  const { repo, session: { tree: { git, folder }, parsers } } = at;
  const past = (await repo.git("rev-parse", "HEAD")).trim();
  await repo.commit("later", { "src/far.ts": "export const far = 2;\n", "src/price.ts": "// 2\n" });
  const signal = new AbortController().signal;
  const code: CodeScope = { git, folder, parsers, signal, allowed: () => true };
  const wanted = { text: "", changed: ["src/price.ts"] };
  const why = async () =>
    (await suggest(code, wanted)).ranked.find(({ path }) => path === "src/far.ts")?.why ?? "";
  assert.match(await why(), /changed together with price\.ts/);
  await repo.git("checkout", "--quiet", "--detach", past);
  assert.doesNotMatch(await why(), /changed/);
});

Deno.test("suggest searches for signs of expressions as they are, and gives nothing for a task without words", async () => {
  await using at = await shop({ "src/odd.ts": "export const $x = 1;\n" });
  const { ranked } = await suggest(at.code, { text: "Why is `$x.*(` [bad ??? `(?<a` " });
  assert.ok(pathsOf(ranked).every((path) => path in SHOP || path === "src/odd.ts"));
  assert.deepEqual((await suggest(at.code, { text: "do it" })).ranked, []);
});

Deno.test("suggest answers without a parser and in a repo without a commit", async () => {
  await using at = await toolPlace({ files: SHOP, commit: false });
  const { git, folder } = at.session.tree;
  const scope = { git, folder, signal: new AbortController().signal, allowed: () => true };
  const { ranked } = await suggest(scope, { text: "`priceOf` is wrong" });
  assert.ok(pathsOf(ranked).includes("src/price.ts"));
});
