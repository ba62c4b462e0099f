import assert from "node:assert/strict";
import { vectors } from "bench/secret_vectors.ts";
import { allRules } from "svc/features/guardrails/all_rules.ts";
import { scanText } from "svc/features/guardrails/scan_text.ts";
import { compileRules } from "tools/keyword_table.ts";
import { secretRules } from "svc/features/guardrails/secret_rules/all.ts";
import { Draw } from "svc/features/guardrails/secret_rules/draw.ts";

const ALL = allRules();
const SEEDS = [1, 2, 3, 4, 5];

/** The files a line is put into: env, YAML, JSON, TypeScript, Markdown and a diff. */
const FILES: Readonly<Record<string, (line: string) => string>> = {
  "app.env": (line) => `# settings\nPORT=3000\n${line}\nLOG=info\n`,
  "app.yaml": (line) => `app:\n  replicas: 2\n  ${line}\n  debug: false\n`,
  "app.json": (line) => `${JSON.stringify({ note: "x", line }, null, 2)}\n`,
  "app.ts": (line) => `import a from "./a.ts";\n\n// ${line}\nexport default a;\n`,
  "README.md": (line) => `# Title\n\n- set \`${line}\` first\n\nText.\n`,
  "fix.diff": (line) => `@@ -1,2 +1,3 @@\n PORT=1\n+${line}\n LOG=2\n`,
};

Deno.test("every rule has an id, keywords, examples and lookalikes", () => {
  const structured = secretRules().filter(({ kind }) => kind === "structured");
  assert.ok(structured.length >= 60, `${structured.length} structured kinds`);
  for (const rule of secretRules()) {
    assert.match(rule.id, /^[a-z0-9]+(?:-[a-z0-9]+)*$/);
    assert.ok(rule.keywords.length > 0, rule.id);
    assert.ok(rule.examples(new Draw(1)).length > 0, rule.id);
    assert.ok(rule.lookalikes(new Draw(1)).length > 0, rule.id);
  }
});

Deno.test("every rule finds its own examples alone", () => {
  for (const rule of secretRules()) {
    const alone = compileRules([rule]);
    for (const seed of SEEDS) {
      for (const line of rule.examples(new Draw(seed))) {
        const { hits } = scanText(line, alone, { path: "app.env" });
        assert.equal(hits.length > 0, true, `${rule.id} misses seed ${seed}`);
      }
    }
  }
});

Deno.test("every example is found among all rules, in every kind of file", () => {
  for (const rule of secretRules()) {
    for (const [path, write] of Object.entries(FILES)) {
      // A key's lines, and a line of a .netrc, begin where their file format says.
      const examples = rule.examples(new Draw(9)).filter((line) => !line.includes("\n"));
      for (const line of examples) {
        // Escaped within a text, or an expression of the program: other tests write those well.
        if (rule.kind === "generic" && /\.(?:json|ts)$/.test(path)) continue;
        const { hits } = scanText(write(line), ALL, { path });
        assert.notEqual(hits.length, 0, `${rule.id} in ${path}`);
      }
    }
  }
});

Deno.test("no lookalike of any rule is found by any rule", () => {
  for (const rule of secretRules()) {
    for (const seed of SEEDS) {
      for (const line of rule.lookalikes(new Draw(seed))) {
        const { hits } = scanText(line, ALL, { path: "app.env" });
        const by = hits.map((hit) => hit.rule.id).join();
        assert.equal(by, "", `a lookalike of ${rule.id}: ${line.slice(0, 40)}`);
      }
    }
  }
});

Deno.test("a structured example inside a longer word is no secret", () => {
  for (const rule of secretRules()) {
    if (rule.kind !== "structured" || rule.openLeft === true) continue;
    const alone = compileRules([rule]);
    const [example = ""] = rule.examples(new Draw(3));
    const { hits: [hit] } = scanText(example, alone);
    assert.ok(hit !== undefined, rule.id);
    const within = scanText(`x${example.slice(hit.start)}`, alone);
    assert.equal(within.hits.some(({ start }) => start <= 1), false, rule.id);
  }
});

/** A pattern's source without its classes, escapes and bounded counts. */
function skeleton(source: string): string {
  return source.replace(/\\./g, "e").replace(/\[[^\]]*\]/g, "c").replace(/\{\d+(?:,\d+)?\}/g, "");
}

Deno.test("every repetition in every pattern is bounded", () => {
  for (const rule of secretRules()) {
    const bare = skeleton(rule.pattern.source);
    assert.equal(/[*+]|\{\d+,\}/.test(bare), false, `${rule.id}: ${bare.slice(0, 200)}`);
  }
});

Deno.test("no bounded repetition holds another one that may match the same text again and again", () => {
  for (const rule of secretRules()) {
    const bare = rule.pattern.source.replace(/\\./g, "e").replace(/\[[^\]]*\]/g, "c");
    // A group whose whole content is one repeated class, itself repeated: (?:c{1,9}){2,9}
    assert.equal(/\((?:\?:)?[ce]\{\d+,\d+\}\)(?:[*+]|\{)/.test(bare), false, rule.id);
  }
});

Deno.test("a secret is found in every way of writing a name and a value that others test", () => {
  const missed = new Map<string, number>();
  const total = new Map<string, number>();
  const count = (of: Map<string, number>, kind: string) => of.set(kind, (of.get(kind) ?? 0) + 1);
  for (const { kind, path, text } of vectors(1, 1)) {
    count(total, kind);
    if (scanText(text, ALL, { path }).hits.length === 0) count(missed, kind);
  }
  const found = (kind: string) => 1 - (missed.get(kind) ?? 0) / total.get(kind)!;
  assert.equal(found("structured"), 1);
  assert.ok(found("context") >= 0.99 && found("generic") >= 0.95, JSON.stringify([...missed]));
});

Deno.test("words and addresses that begin like a token are no finding", () => {
  const draw = new Draw(5);
  const hex = draw.hex(32);
  for (
    const [path, text] of [
      ["a.md", `[API](https://www.notion.so/acme/Our-API-${hex.toUpperCase()})`],
      ["a.md", `https://www.notion.so/acme/API-${hex.toUpperCase()}`],
      ["a.css", ".ico-arrowcircledownoutlinerounded24 { margin: 0 }"],
      ["a.c", "int hf_clearGlobalInterruptStatusRegisters(void);"],
      ["a.yaml", `AuthSource: host-${draw.hex(6)}-Kq4z`],
      ["a.html", `<input name="authenticity_token" value="${draw.base62(43)}4k" />`],
      ["a.md", `mookta: ${draw.base62(40)}4k`],
      ["a.yaml", `password: $2y$10$${draw.base62(53)}`],
      ["a.sh", 'curl -u "$1:$2" https://x'],
      ["a.d.ts", "static readonly LINKEDIN: OAuth2CredentialProviderVendor;"],
      ["a.js", "salesforceOauth2Config: CfnOAuth2CredentialProviderSalesforceOauth2Validator,"],
      ["a.md", "declare const apiKey: apigwv2.ApiKey;"],
    ] as const
  ) assert.deepEqual(scanText(text, ALL, { path }).hits.map(({ rule }) => rule.id), [], text);
});
