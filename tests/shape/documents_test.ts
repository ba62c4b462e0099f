/** Documents that name what is there: sections, files, links; and code spans that a reader can copy. */
import assert from "node:assert/strict";

const root = decodeURIComponent(new URL("../..", import.meta.url).pathname);

/** Pages that people write; those of `docs/generated` and old decisions are not judged here. */
function pages(): string[] {
  const docs = [...Deno.readDirSync(`${root}docs`)].map(({ name }) => name)
    .filter((name) => name.endsWith(".md"));
  return ["README.md", "AGENTS.md", ...docs.map((name) => `docs/${name}`)];
}

/** Text outside fenced blocks. */
const prose = (path: string) =>
  Deno.readTextFileSync(root + path).replaceAll(/^```[^]*?^```$/gm, "");

function exists(path: string): boolean {
  try {
    Deno.statSync(root + path);
    return true;
  } catch {
    return false;
  }
}

function* sources(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(root + folder)) {
    if (name.startsWith(".") || name === "node_modules") continue;
    if (isDirectory) yield* sources(`${folder}/${name}`);
    else if (/\.tsx?$/.test(name)) yield `${folder}/${name}`;
  }
}

const SOURCES = ["src", "tests", "tools", "bench", "demo"].flatMap((
  folder,
) => [...sources(folder)]);

Deno.test("each section of the specification that the code cites is there", () => {
  const spec = Deno.readTextFileSync(`${root}docs/specification.md`);
  const sections = new Set([...spec.matchAll(/^#{2,3} ([\d.]+?)\.? /gm)].map(([, name]) => name));
  const missing: string[] = [];
  for (const path of SOURCES) {
    for (
      const [, name] of Deno.readTextFileSync(root + path).matchAll(/spec section (\d(?:\.\d)?)/g)
    ) {
      if (!sections.has(name)) missing.push(`${path}: ${name}`);
    }
  }
  assert.deepEqual(missing, []);
  assert.ok(sections.size > 15);
});

for (const path of pages()) {
  Deno.test(`${path} names files that are there`, () => {
    const text = prose(path);
    const folder = path.includes("/") ? path.replace(/[^/]*$/, "") : "";
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)]
      .map(([, to]) => new URL(to!, `file:///${folder}`).pathname.slice(1));
    const named = [...text.matchAll(/`((?:src|tests|tools|bench|assets|docs|demo)\/[\w./-]+)`/g)]
      .map(([, to]) => to!)
      // A target repo has folders of these names too.
      .filter((to) => !/NNNN|^docs\/(?:tickets|validation|QUALITY_SCORE)/.test(to));
    // "conclude.ts", "cli/main.ts": some source file ends so.
    const short = [...text.matchAll(/`([\w/]+\.tsx?)`/g)].map(([, to]) => to!)
      .filter((to) => !/NNNN|^x_/.test(to) && !SOURCES.some((path) => path.endsWith(`/${to}`)));
    assert.deepEqual([...links, ...named].filter((to) => !exists(to)), []);
    assert.deepEqual(short.filter((to) => !exists(to)), []);
  });

  Deno.test(`${path} splits no code span across lines`, () => {
    const split = prose(path).split(/\n\s*\n/).flatMap((part) =>
      [...part.matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, span]) => span!)
        .filter((span) => span.includes("\n"))
    );
    assert.deepEqual(split, []);
  });
}
