import assert from "node:assert/strict";
import { link } from "tools/link.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

/** As `deno bundle --code-splitting` leaves its files: entries, and a chunk for each set of entries that shares it. */
const SPLIT = {
  "main.js": 'import { word } from "./chunk-A.js";\nglobalThis.acted = word;\nexport { word };\n',
  "src/a.js":
    'import { word } from "../chunk-A.js";\nimport { far } from "../chunk-B.js";\nvar a = word + far;\nexport { a };\n',
  "src/b.js":
    'import { late, word } from "../chunk-A.js";\nvar b = word + " b";\nvar close = () => { using held = { [Symbol.dispose]() { b = "let go"; } }; return b; };\nexport { b, close, late };\n',
  "src/cold.js": 'import { far } from "../chunk-B.js";\nvar cold = far;\nexport { cold };\n',
  "src/cli/confined/worker.js":
    'import { word } from "../../../chunk-A.js";\nglobalThis.acted = "worker";\n',
  "chunk-A.js": `import { createRequire as __deno_internal_createRequire } from "node:module";
var __require = __deno_internal_createRequire(import.meta.url);
import proc from "node:process";
var word = "word";
var late = () => [__require("node:path").basename("/x/y"), typeof proc.pid];
export { word, late };
`,
  "chunk-B.js": 'var far = " far";\nexport { far };\n',
};

const ENTRIES = ["main", "src/a", "src/b", "src/cold", "src/cli/confined/worker"];
const CALLED = new Set(["late", "cold"]);
const MOMENTS = { first: ["main", "src/cli/confined/worker", "src/b"], next: ["src/a", "src/b"] };

async function linked(
  files: Readonly<Record<string, string>> = SPLIT,
  entries = ENTRIES,
  moments: Parameters<typeof link>[4] = MOMENTS,
) {
  const folder = await tempFolder();
  for (const [path, text] of Object.entries(files)) {
    const at = `${folder.path}/split/${path}`;
    await Deno.mkdir(at.slice(0, at.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(at, text);
  }
  const out = `${folder.path}/linked`;
  await link(`${folder.path}/split`, out, entries, CALLED, moments);
  return { out, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

async function textsOf(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) texts.push(...await textsOf(path));
    else texts.push(await Deno.readTextFile(path));
  }
  return texts;
}

const load = async (out: string, entry: string) => await import(`file://${out}/${entry}.js`);

Deno.test("link joins what the same moments need, and every entry gives what it gave", async () => {
  await using built = await linked();
  const a = await load(built.out, "src/a");
  const b = await load(built.out, "src/b");
  assert.deepEqual([a.a, b.b, b.close(), b.b], ["word far", "word b", "word b", "let go"]);
  assert.equal((await load(built.out, "src/cold")).cold, " far");
  const holding = async (text: string) =>
    (await textsOf(built.out)).filter((file) => file.includes(text));
  assert.deepEqual(await holding("var far"), await holding("var a="));
  assert.deepEqual(await holding("var word"), await holding("var b="));
});

Deno.test("link gives the threads of a service one file for both, beside what MCP needs of it", async () => {
  const chunk = (name: string) => [`chunk-${name}.js`, `var ${name} = [];\nexport { ${name} };\n`];
  const entry = (name: string, chunks: string) => [
    `src/${name}.js`,
    [...chunks].map((one) => `import { ${one} } from "../chunk-${one}.js";\n`).join("") +
    `var ${name} = [${[...chunks]}];\nexport { ${name} };\n`,
  ];
  // p: both threads; q: both and a later moment; r: both and MCP; s: the later moment and MCP
  const files = Object.fromEntries([
    ...[..."pqrs"].map(chunk),
    entry("asks", "pqr"),
    entry("listens", "pqr"),
    entry("later", "qs"),
    entry("tools", "rs"),
  ]);
  await using built = await linked(files, ["src/asks", "src/listens", "src/later", "src/tools"], {
    confined: ["src/asks"],
    listening: ["src/listens"],
    serving: ["src/later"],
    mcp: ["src/tools"],
  });
  const texts = await textsOf(built.out);
  const fileWith = (name: string) => texts.findIndex((text) => text.includes(`var ${name}=`));
  assert.equal(fileWith("p"), fileWith("q"));
  assert.equal(new Set([..."prs"].map(fileWith)).size, 3);
});

Deno.test("link joins no entry that acts: whoever imports its neighbours does not run it", async () => {
  await using built = await linked();
  await load(built.out, "src/b");
  assert.equal(Reflect.get(globalThis, "acted"), undefined);
  await load(built.out, "main");
  assert.equal(Reflect.get(globalThis, "acted"), "word");
  Reflect.deleteProperty(globalThis, "acted");
});

Deno.test("link has no part of Node loaded before it is used, and then it is there", async () => {
  await using built = await linked();
  const texts = await textsOf(built.out);
  assert.deepEqual(texts.filter((text) => /^import .*"node:/m.test(text)), []);
  assert.deepEqual((await load(built.out, "src/b")).late(), ["y", "number"]);
});

Deno.test("link puts functions that starts call in parentheses, where a start needs the file", async () => {
  await using built = await linked({
    ...SPLIT,
    "chunk-C.js": "var cold = () => 1;\nexport { cold };\n",
    "src/cold.js": 'import { cold } from "../chunk-C.js";\nexport { cold };\n',
    "src/other.js": 'import { cold } from "../chunk-C.js";\nexport { cold };\n',
  }, [...ENTRIES, "src/other"]);
  const texts = (await textsOf(built.out)).join("");
  assert.match(texts, /var late=\(\(\)=>\[.*\]\);/);
  assert.match(texts, /var close=\(\)=>/);
  assert.match(texts, /var cold=\(\)=>1;/);
});

Deno.test("link writes ASCII alone, and each text and pattern means what it meant", async () => {
  const odd = `export const text = "→ … \u{1f44b}";
export const template = \`«\${text}» \u2028\`;
export const patterns = [/[→…\u{1f44b}]/u, /^→+$/, /[«-»]/v, /[\\ud800-\\udfff]/];
`;
  await using built = await linked({ ...SPLIT, "src/cold.js": odd });
  for (const text of await textsOf(built.out)) assert.match(text, /^[\0-\x7f]*$/);
  const { text, template, patterns } = await load(built.out, "src/cold");
  assert.equal(text, "→ … 👋");
  assert.equal(template, `«${text}» \u2028`);
  assert.deepEqual([..."→…👋«x"].map((one) => patterns.map((p: RegExp) => p.test(one))), [
    ...[[true, true, false, false], [true, false, false, false], [true, false, false, true]],
    ...[[false, false, true, false], [false, false, false, false]],
  ]);
});

Deno.test("link refuses raw text that it cannot write in ASCII", async () => {
  await assert.rejects(
    async () =>
      void await linked({
        ...SPLIT,
        "src/cold.js": "export const cold = String.raw`…`;\n",
      }),
    /Cannot escape what String\.raw holds: write it in ASCII/,
  );
});

Deno.test("link refuses a bundle whose require it does not know", async () => {
  const other = SPLIT["chunk-A.js"].replace("var __require", "let __require");
  await assert.rejects(
    async () => void await linked({ ...SPLIT, "chunk-A.js": other }),
    /change REQUIRE in tools\/link\.ts/,
  );
});
