/** No literal pattern takes more than linear time over the text of others (CWE-1333), judged by npm `scslre`. */
import assert from "node:assert/strict";
import { analyse } from "scslre";

const root = decodeURIComponent(new URL("../..", import.meta.url).pathname);

/** Where a pattern may take longer, because its text is short; a folder covers what is below it. */
const SHORT_TEXTS: readonly (readonly [path: string, why: string])[] = [
  ["src/features/guardrails/secret_rules/", "bounded repeats behind fixed words"],
  ["src/features/guardrails/secret_value.ts", "values of bounded rules"],
  ["src/features/models/client/endpoint.ts", "a base URL of at most 2,048 characters"],
  ["src/features/models/client/error_response.ts", "bounded repeats, 64 KiB of text"],
  ["src/features/models/client/faults.ts", "messages of the runtime"],
  ["src/features/harness/model_routing.ts", "a base URL of at most 2,048 characters"],
  ["src/features/tools/edit/placeholder.ts", "lines of at most 200 characters"],
  ["src/features/tools/custom/tool_create.ts", "lines cut at 1,000 characters"],
  ["src/features/scanner/", "lines of at most 2,000 characters, paths, bounded repeats"],
  ["src/features/release/version_spans.ts", "lines of at most 300 characters, paths"],
  ["src/features/setup/shell_profiles.ts", "the person's own environment"],
  ["src/features/code_intel/languages/bash.ts", "cut at 4,096 characters"],
  ["src/cli/completion/values.ts", "lines cut at 500 characters"],
  ["src/platform/home.ts", "the person's own environment"],
  ["src/store/placement.ts", "one name of a path"],
  ["src/core/diff_stat.ts", "two paths of at most 4,096 bytes"],
  ["src/core/marked_block.ts", "every line matches"],
  ["src/features/scores/manual_notes.ts", "every line matches"],
  ["src/features/settings/known_secrets.ts", "the person's own config"],
  ["src/cli/parser.ts", "the person's own arguments"],
  ["src/http/strict_json.ts", "valid JSON: every string of it ends"],
];

interface Pattern {
  readonly path: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(root + folder)) {
    if (name === "node_modules") continue;
    if (isDirectory) yield* sources(`${folder}/${name}`);
    else if (/\.tsx?$/.test(name) && !name.endsWith(".gen.ts")) yield `${folder}/${name}`;
  }
}

function patternsOf(path: string, text: string): Pattern[] {
  const found: Pattern[] = [];
  const plugin: Deno.lint.Plugin = {
    name: "patterns",
    rules: {
      all: {
        create: () => ({
          Literal(node) {
            const { regex } = node as { regex?: { pattern: string; flags: string } };
            if (!regex) return;
            const { pattern, flags } = regex;
            const line = text.slice(0, node.range[0]).split("\n").length;
            found.push({ path, line, source: pattern, flags });
          },
        }),
      },
    },
  };
  Deno.lint.runPlugin(plugin, path, text);
  return found;
}

function isSlow({ source, flags }: Pattern): boolean {
  const { reports } = analyse(new RegExp(source, flags), { reportTypes: { Move: true } });
  return reports.length > 0;
}

Deno.test("no pattern takes more than linear time, but over short texts", async () => {
  const slow: string[] = [];
  for (const path of (await Array.fromAsync(sources("src"))).sort()) {
    if (SHORT_TEXTS.some(([short]) => path.startsWith(short))) continue;
    for (const pattern of patternsOf(path, await Deno.readTextFile(root + path))) {
      if (isSlow(pattern)) slow.push(`${path}:${pattern.line} /${pattern.source}/${pattern.flags}`);
    }
  }
  assert.deepEqual(slow, []);
});

Deno.test("each path with short texts exists", async () => {
  for (const [path] of SHORT_TEXTS) assert.ok(await Deno.stat(root + path), path);
});
