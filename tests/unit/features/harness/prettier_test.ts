import assert from "node:assert/strict";
import { readManifest } from "svc/features/harness/manifest.ts";
import { defaultFiles } from "svc/features/harness/defaults.ts";
import { jsonText } from "svc/features/harness/json_text.ts";

Deno.test("jsonText breaks lists where Prettier does, and reads back as what it was", () => {
  const fits = "x".repeat(80 - '  "list": [""]'.length);
  // What Prettier 3.10 makes of the same values.
  const text = `{
  "empty": [],
  "none": {},
  "run": ["npm", "test"],
  "list": ["${fits}"]
}
`;
  assert.equal(jsonText(JSON.parse(text)), text);
  const broken = `{
  "list": ["${fits}"],
  "long": [
    "${fits}",
    null,
    1
  ],
  "deep": [
    {
      "run": ["a", "b"]
    },
    []
  ]
}
`;
  // A comma after it counts, too.
  const commas = broken.replace(`["${fits}"],`, `[\n    "${fits}"\n  ],`);
  assert.equal(jsonText(JSON.parse(broken)), commas);
  assert.equal(jsonText({ left: undefined, out: 'a "b"' }), '{\n  "out": "a \\"b\\""\n}\n');
});

Deno.test("YAML that init writes has no list in brackets that Prettier would break", () => {
  const long = Array.from({ length: 9 }, (_, at) => `--option-${at}`);
  const docs = Array.from({ length: 9 }, (_, at) => `docs/page-${at}.md`);
  const project = {
    ...{ name: "a", default_branch: "main", version: "0.1.0", docs },
    ...{ languages: [], package_managers: [], ci: [] },
    setup: [{ name: "install", run: ["npm", "ci"] }],
    checks: [{ name: "test", run: ["npm", "test"] }, { name: "long", run: ["npm", ...long] }],
  };
  const files = defaultFiles(project, "");
  const text = (path: string) => files.find((file) => file.path === path)!.text;
  for (const path of [".harness/manifest.yaml", ".harness/knowledge/routes.yaml"]) {
    const lines = text(path).split("\n").map((line) => line.replace(/ *#.*/, ""));
    assert.deepEqual(lines.filter((line) => line.endsWith("[") || line.length > 80), []);
  }
  const { project: { checks, setup } } = readManifest(text(".harness/manifest.yaml"));
  assert.deepEqual([...setup, ...checks].map(({ name, run }) => ({ name, run })), [
    ...project.setup,
    ...project.checks,
  ]);
  const routes = text(".harness/knowledge/routes.yaml");
  assert.ok(routes.includes(`    read:\n      - AGENTS.md\n      - ${docs.join("\n      - ")}\n`));
});
