/** SARIF against the published schema that npm's @microsoft/jest-sarif carries, and GitHub's commands. */
import assert from "node:assert/strict";
import Ajv from "ajv";
import draft04 from "ajv/lib/refs/json-schema-draft-04.json" with { type: "json" };
import schema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import { annotated, githubLine, mayFormat, type Note } from "svc/cli/page/annotations.ts";
import { page } from "svc/cli/page/page.ts";

const SECRET = "AKIA1234";
const HOSTILE = `a b%\r\n::set-env name=X::${SECRET}\x1b]52;c;x\x07,x:y\u202e#?.txt`;

const NOTES: readonly Note[] = [
  {
    ...{ rule: "github-pat", level: "error", path: "src/ü/a.env", line: 2, column: 7 },
    ...{ text: "A secret of kind github-pat", fingerprint: "0".repeat(32) },
  },
  {
    ...{ rule: "secret", level: "warning", path: HOSTILE, line: 1 },
    ...{ text: `of ${HOSTILE}`, fingerprint: "1".repeat(16) },
  },
  { rule: "readme-missing", level: "note", text: "No README", fingerprint: "2".repeat(16) },
];
const RULES = [{ id: "github-pat", about: "GitHub personal access token" }];

function printed(format: "sarif" | "github", notes = NOTES): string {
  let text = "";
  const redact = (given: string) => given.replaceAll(SECRET, "[redacted]");
  const to = page((part) => text += part, { styled: true, columns: 40, redact });
  assert.ok(annotated(format, notes, RULES, to));
  for (const never of [SECRET, "\x1b", "\x07", "\r", "\u202e"]) assert.ok(!text.includes(never));
  return text;
}

Deno.test("SARIF is valid by its published schema, with findings and without", () => {
  const ajv = new Ajv({ schemaId: "auto", validateSchema: false });
  ajv.addMetaSchema(draft04);
  const validate = ajv.compile(schema);
  for (const notes of [NOTES, []]) {
    assert.ok(validate(JSON.parse(printed("sarif", [...notes]))), ajv.errorsText(validate.errors));
  }
  const broken = JSON.parse(printed("sarif"));
  broken.runs[0].results[0].level = "fatal";
  assert.ok(!validate(broken), "the schema refuses what is wrong");
});

Deno.test("SARIF names rules, places as URIs, and fingerprints", () => {
  const [run] = JSON.parse(printed("sarif")).runs;
  const [first, second, third] = run.results;
  const place = first.locations[0].physicalLocation;
  assert.equal(place.artifactLocation.uri, "src/%C3%BC/a.env");
  assert.deepEqual(place.region, { startLine: 2, startColumn: 7 });
  assert.equal(run.tool.driver.rules[first.ruleIndex].id, "github-pat");
  assert.deepEqual(first.partialFingerprints, { "svc/v1": "0".repeat(32) });
  const { uri } = second.locations[0].physicalLocation.artifactLocation;
  assert.match(uri, /^a%20b%25%0D%0A%3A%3Aset-env%20name%3DX%3A%3A/);
  assert.equal(third.locations, undefined);
});

Deno.test("GitHub's annotations are one command a finding, whatever a name holds", () => {
  const lines = printed("github").trimEnd().split("\n");
  assert.equal(lines.length, NOTES.length);
  assert.equal(
    lines[0],
    "::error file=src/ü/a.env,line=2,col=7,title=svc%3A github-pat::A secret of kind github-pat",
  );
  assert.match(lines[1]!, /^::warning file=a b%25%0D%0A%3A%3Aset-env name=X%3A%3A\[redacted\]/);
  assert.match(lines[1]!, /%2Cx%3Ay/);
  assert.equal(lines[2], "::notice title=svc%3A readme-missing::No README");
  const [command, properties] = githubLine(NOTES[1]!).split("::").slice(1);
  assert.ok(command!.startsWith("warning file=") && properties!.startsWith("of a b%25%0D%0A"));
});

Deno.test("two forms of output at once are a usage error", () => {
  mayFormat({ json: true });
  mayFormat({ json: false, format: "sarif" });
  assert.throws(() => mayFormat({ json: true, format: "sarif" }), { code: "usage" });
});
