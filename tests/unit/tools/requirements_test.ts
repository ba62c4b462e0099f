/** The gate over promises: what counts as a citation, what is a fault, what the page shows. */
import assert from "node:assert/strict";
import { REQUIREMENTS } from "tests/contract/requirements.ts";
import type { Requirement } from "tests/contract/requirements/requirement.ts";
import * as kit from "tests/kit/verifies.ts";
import {
  type Citation,
  citationsIn,
  type Findings,
  generateRequirementsPage,
  judge,
  requirementsPage,
} from "tools/requirements.ts";

const SCAN = "4.5:scan:writes-nothing";
const EJECT = "4.5:eject:dry-run-default";

function requirement(id: string, deferred?: string): Requirement {
  const promise = "`scan` takes `a|b`.";
  const section = id.split(":")[0]!;
  return { id, section, promise, ...(deferred !== undefined && { deferred }) };
}

function citation(id: string, counts = true, conditional = false): Citation {
  return { id, file: "tests/unit/scan_test.ts", line: 3, counts, conditional };
}

function found(...citations: Citation[]): Findings {
  return { citations, faults: [] };
}

function cited(source: string): string[] {
  const { citations, faults } = citationsIn("tests/unit/x_test.ts", source);
  assert.deepEqual(faults, []);
  return citations.filter(({ counts }) => counts).map(({ id }) => id);
}

Deno.test("citationsIn reads one id and several ids with their lines", () => {
  const source = `import { verifies } from "tests/kit/verifies.ts";
verifies("1:a:b", "does x", () => {});
verifies(
  ["1:a:c", '1:a:d',],
  "does y",
  () => {},
);`;
  assert.deepEqual(citationsIn("tests/unit/x_test.ts", source), {
    citations: [["1:a:b", 2], ["1:a:c", 3], ["1:a:d", 3]].map(([id, line]) => ({
      id,
      file: "tests/unit/x_test.ts",
      line,
      counts: true,
      conditional: false,
    })),
    faults: [],
  });
});

Deno.test("citationsIn takes comments, strings, templates and regular expressions for no code", () => {
  const hidden = [
    `// verifies("1:a:b", "x", f);`,
    `/*\nverifies("1:a:b", "x", f);\n*/`,
    `const s = 'verifies("1:a:b")';`,
    "const t = `\nverifies('1:a:b', `;",
    "const t = `${`it's ${1}`}\nverifies('1:a:b') ${{}} `;",
    `kit.verifies("1:a:b", "x", f);`,
    `const r = /[/"]verifies("1:a:b")/;`,
  ];
  for (const source of hidden) {
    assert.deepEqual(cited(`${source}\nverifies("1:a:seen", "x", f);`), ["1:a:seen"], source);
  }
});

Deno.test("citationsIn is not led astray by quotes in regular expressions and by divisions", () => {
  for (const before of ["s.match(/['`\"]/);", "a = b / c; d = e / f;", "x = f(1) / 2; // don't"]) {
    assert.deepEqual(cited(`${before}\nverifies("1:a:b", "x", f);`), ["1:a:b"], before);
  }
});

Deno.test("citationsIn reads a call inside a template's expression", () => {
  assert.deepEqual(cited('const t = `a ${verifies("1:a:b", "x", f)} b`;'), ["1:a:b"]);
});

Deno.test("citationsIn does not count a test that is literally ignored", () => {
  assert.deepEqual(cited(`verifies("1:a:b", "x", { ignore: true }, f);`), []);
  assert.deepEqual(cited(`verifies("1:a:b", "x", { permissions: {}, ignore: true }, f);`), []);
  assert.deepEqual(cited(`verifies("1:a:b", "x", { ignore: noGit }, f);`), ["1:a:b"]);
  assert.deepEqual(cited(`verifies("1:a:b", "x", () => run({ ignore: true }));`), ["1:a:b"]);
});

Deno.test("a promise whose every test may be skipped is marked in the page", () => {
  const skippable = (call: string) => {
    const { citations } = citationsIn("tests/unit/x_test.ts", call);
    return requirementsPage([requirement("1:a:b")], citations).includes("skipped where a part");
  };
  assert(skippable(`verifies("1:a:b", "x", { ignore: noGit }, f);`));
  assert(skippable(`verifies("1:a:b", "x", needs("zsh"), f);`));
  assert(skippable(`verifies("1:a:b", "x", { ...withoutDisk }, f);`));
  assert(!skippable(`verifies("1:a:b", "x", { permissions: {} }, f);`));
  assert(!skippable(`verifies("1:a:b", "x", f,);`));
  assert(!skippable(`verifies("1:a:b", "x", needs("zsh"), f); verifies("1:a:b", "y", f);`));
});

Deno.test("citationsIn reports ids that are not literal", () => {
  for (const first of ["id", "[]", '["1:a:b", id]', "`1:a:b`", 'id("1:a:b")']) {
    assert.deepEqual(citationsIn("tests/unit/x_test.ts", `\nverifies(${first}, "x", f);`), {
      citations: [],
      faults: ["tests/unit/x_test.ts:2: verifies() needs its ids as string literals"],
    });
  }
});

Deno.test("citationsIn reports a citation in a file that is no test, but not the definition", () => {
  const { citations, faults } = citationsIn("tests/unit/scan.ts", 'verifies("1:a:b", "x", f);');
  assert.deepEqual(citations, []);
  assert.match(faults.join(), /^tests\/unit\/scan\.ts:1: verifies\(\) stands outside a test file/);
  assert.deepEqual(citationsIn("tests/kit/verifies.ts", "function verifies(ids) {}").faults, []);
});

Deno.test("citationsIn reads the header of a script only", () => {
  const script = `# shows the help
# verifies: 1:a:b  1:a:c
exec svc --help
# verifies: 1:a:d
-- notes.txt --
# verifies: 1:a:e
`;
  const { citations, faults } = citationsIn("tests/scripts/help.txtar", script);
  assert.deepEqual(citations.map(({ id, line }) => [id, line]), [
    ["1:a:b", 2],
    ["1:a:c", 2],
    ["1:a:d", 4],
  ]);
  assert.deepEqual(faults, []);
});

Deno.test("citationsIn reports a script line that names no id", () => {
  const { faults } = citationsIn("tests/scripts/help.txtar", "# verifies:\nexec svc\n");
  assert.deepEqual(faults, ['tests/scripts/help.txtar:1: "# verifies:" names no id']);
});

Deno.test("judge finds nothing when promises are proven or deferred", () => {
  const requirements = [requirement(SCAN), requirement(EJECT, "the harness is not built yet")];
  assert.deepEqual(judge(requirements, found(citation(SCAN), citation(EJECT, false))), []);
});

const FAULTY: [string, Requirement[], Citation[], RegExp][] = [
  ["an unknown id", [requirement(SCAN)], [citation(SCAN), citation(EJECT)], /:3: ".+" is no req/],
  ["a duplicate id", [requirement(SCAN), requirement(SCAN)], [citation(SCAN)], /declared twice/],
  ["an untested promise", [requirement(SCAN)], [], /has no test/],
  ["an ignored test as the only one", [requirement(SCAN)], [citation(SCAN, false)], /has no test/],
  ["a deferred one that has a test", [requirement(SCAN, "x")], [citation(SCAN)], /proven by tests/],
  ["an empty reason", [requirement(SCAN, " ")], [], /deferred without a reason/],
  ["an empty promise", [{ ...requirement(SCAN, "x"), promise: "" }], [], /promises nothing/],
  ["an id of two parts", [requirement("4.5:scan", "x")], [], /must read section:subject/],
  ["an id that is no kebab-case", [requirement("4.5:scan:A_b", "x")], [], /must read section/],
  ["a foreign section", [{ ...requirement(SCAN, "x"), section: "4" }], [], /in section "4"/],
];

for (const [kind, requirements, citations, expected] of FAULTY) {
  Deno.test(`judge reports ${kind}`, () => {
    const faults = judge(requirements, found(...citations));
    assert.equal(faults.length, 1, faults.join("\n"));
    assert.match(faults[0]!, expected);
  });
}

Deno.test("judge passes on what could not be read", () => {
  assert.deepEqual(judge([], { citations: [], faults: ["x_test.ts:1: odd"] }), [
    "x_test.ts:1: odd",
  ]);
});

Deno.test("requirementsPage shows totals, sections, proofs and reasons", () => {
  const requirements = [
    requirement("1:help:x"),
    requirement(SCAN),
    requirement(EJECT, "no harness yet"),
  ];
  const page = requirementsPage(requirements, [citation(SCAN), citation(SCAN)]);
  assert.equal(
    page,
    `# Requirements

The promises of the specification and the tests that prove them. Written by \`deno task gen\`.

| section | promises | proven | deferred |
| --- | ---: | ---: | ---: |
| **all** | 3 | 1 | 1 |
| 1 | 1 | 0 | 0 |
| 4.5 | 2 | 1 | 1 |

## Section 1

0 proven, 0 deferred.

| id | promise | proven by |
| --- | --- | --- |
| \`1:help:x\` | \`scan\` takes \`a\\|b\`. | no test |

## Section 4.5

1 proven, 1 deferred.

| id | promise | proven by |
| --- | --- | --- |
| \`${SCAN}\` | \`scan\` takes \`a\\|b\`. | \`tests/unit/scan_test.ts\` |
| \`${EJECT}\` | \`scan\` takes \`a\\|b\`. | deferred: no harness yet |
`,
  );
});

Deno.test("generateRequirementsPage reads the tests of a checkout", async () => {
  const root = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${root}/tests/scripts`, { recursive: true });
    const id = REQUIREMENTS[0].id;
    await Deno.writeTextFile(`${root}/tests/scripts/a.txtar`, `# verifies: ${id}\nexec svc\n`);
    await Deno.writeTextFile(`${root}/tests/notes.md`, `verifies("${id}")`);
    const { path, text } = await generateRequirementsPage(root);
    assert.equal(path, "docs/generated/requirements.md");
    assert.ok(text.includes(`| **all** | ${REQUIREMENTS.length} | 1 | `), text.slice(0, 400));
    assert.match(text, /\| `tests\/scripts\/a\.txtar` \|/);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("verifies refuses an unknown id and no id at registration", () => {
  const fn = () => {};
  // @ts-expect-error: a wrong id is a type error as well
  assert.throws(() => kit.verifies("1:no:such-promise", "x", fn), /"1:no:such-promise" is no id/);
  assert.throws(() => kit.verifies([], "x", fn), /cites no requirement/);
});

// Called as a member, which the gate does not read: these prove verifies() and no promise.
kit.verifies("4.5:eject:dry-run-default", "verifies names a test by its id", (t) => {
  assert.equal(t.name, "verifies names a test by its id [4.5:eject:dry-run-default]");
});

kit.verifies(
  ["4.5:eject:dry-run-default", "4.5:eject:keep-db"],
  "verifies passes options on",
  { permissions: { read: false } },
  (t) => {
    assert.equal(
      t.name,
      "verifies passes options on [4.5:eject:dry-run-default, 4.5:eject:keep-db]",
    );
    assert.notEqual(Deno.permissions.querySync({ name: "read" }).state, "granted");
  },
);
