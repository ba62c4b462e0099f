import assert from "node:assert/strict";
import fc from "fast-check";
import type { Failure } from "svc/core/failure.ts";
import { findFront, quickYaml } from "svc/features/tickets/front_matter.ts";
import { readTicket, rewriteTicket, ticketBody } from "svc/features/tickets/ticket_file.ts";
import { parseDocument } from "svc/platform/yaml.ts";

const PATH = "docs/tickets/backlog/T-0007-tidy.md";
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (all: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(all);

const FRONT = `id: T-0007
title: Tidy the shed
type: debt
priority: p2
role: engineer
created: 2026-11-20T10:00:00Z
updated: 2026-11-20T10:00:00Z
source: human
`;
const BODY = "\n## Context\n\nIt is full.\n\n## Evidence\n\n- first\n";
const file = (front: string, body = BODY) => bytes(`---\n${front}---\n${body}`);

const EVIDENCE = {
  at: "2026-11-21T10:00:00Z",
  actor: "ada",
  what: "moved",
  commit: "0123456789abcd",
};
const LINE = "- 2026-11-21T10:00:00Z · ada · moved · 0123456789ab";
const EDITS = {
  updated: "2026-11-21T10:00:00Z",
  rework: 2,
  unblock: { owner: "ada", action: "give: the #key" },
};

Deno.test("readTicket reads fields, with defaults for those that may be absent", () => {
  assert.deepEqual(readTicket(file(`${FRONT}depends_on: [T-0001]\nattempts:\n`), PATH), {
    id: "T-0007",
    title: "Tidy the shed",
    type: "debt",
    priority: "p2",
    role: "engineer",
    created: "2026-11-20T10:00:00Z",
    updated: "2026-11-20T10:00:00Z",
    source: "human",
    depends_on: ["T-0001"],
    acceptance: [],
    rework: 0,
    attempts: 0,
  });
});

const wrong: readonly (readonly [string, Uint8Array, RegExp, RegExp])[] = [
  [
    "no front matter",
    bytes("# Title\n"),
    /line 1, column 1.*first line is not "---"/,
    /Allowed keys: id,/,
  ],
  ["an open one", bytes(`---\n${FRONT}`), /no line "---" ends/, /between two lines/],
  ["broken YAML", file(`${FRONT}branch: [a\n`), /line \d+, column \d+\)/, /valid YAML/],
  [
    "a strange type",
    file(FRONT.replace("debt", "chore")),
    /\(line 4, column 1\).*"type".*"feature"/,
    /line 4/,
  ],
  ["a bad id", file(FRONT.replace("T-0007", "7")), /\(line 2, column 1\).*"id".*T-0007/, /line 2/],
  ["a missing title", file(FRONT.replace(/title.*\n/, "")), /"title"/, /Edit/],
  ["a bad source", file(FRONT.replace("human", "me")), /"source".*scan:<rule>/, /line 9/],
  [
    "no UTF-8",
    new Uint8Array([...bytes("---\ntitle: "), 0xff, ...bytes("\n---\n")]),
    /not UTF-8/,
    /iconv/,
  ],
];
for (const [name, content, message, remedy] of wrong) {
  Deno.test(`readTicket says what is wrong with ${name}`, () => {
    assert.throws(() => readTicket(content, PATH), (failure: Failure) => {
      assert.equal(failure.code, "environment");
      assert.match(failure.message, message);
      assert.match(failure.message, /^Cannot read "docs/);
      assert.match(failure.remedy, remedy);
      return true;
    });
  });
}

Deno.test("rewriteTicket changes the keys it is told and appends evidence", () => {
  const front = `# top\n${
    FRONT.replace("updated: 2026-11-20T10:00:00Z", "updated:   '2026-11-20T10:00:00Z'  # then")
  }x-mine: {a: 1}\n`;
  const out = text(rewriteTicket(file(front), PATH, { edits: EDITS, evidence: EVIDENCE }));
  const want = front.replace("'2026-11-20T10:00:00Z'  #", "2026-11-21T10:00:00Z  #") +
    'rework: 2\nunblock:\n  owner: ada\n  action: "give: the #key"\n';
  assert.equal(out, `---\n${want}---\n${BODY}${LINE}\n`);
  const back = rewriteTicket(bytes(out), PATH, {
    edits: { unblock: undefined, rework: 0 },
    evidence: EVIDENCE,
  });
  assert.equal(
    text(back),
    `---\n${
      want.replace("rework: 2", "rework: 0").replace(/unblock:[^]*/, "")
    }---\n${BODY}${LINE}\n${LINE}\n`,
  );
});

for (
  const [name, body, want] of [
    ["no section", "text", `text\n\n## Evidence\n\n${LINE}\n`],
    ["no body", "", `\n## Evidence\n\n${LINE}\n`],
    ["an empty section", "## Evidence\n", `## Evidence\n\n${LINE}\n`],
    ["no last line end", "## Evidence\n- a", `## Evidence\n- a\n${LINE}`],
    [
      "a section behind",
      "## Evidence\n- a\n\n## Notes\n",
      `## Evidence\n- a\n${LINE}\n\n## Notes\n`,
    ],
    [
      "a fence",
      "```\n## Evidence\n```\n",
      `\`\`\`\n## Evidence\n\`\`\`\n\n## Evidence\n\n${LINE}\n`,
    ],
    [
      "a fence within a longer one",
      "````md\n```\n## Evidence\n````\n",
      `\`\`\`\`md\n\`\`\`\n## Evidence\n\`\`\`\`\n\n## Evidence\n\n${LINE}\n`,
    ],
    [
      "code that tells of a fence",
      "```md\n```js\n```\n## Evidence\n- a\n",
      `\`\`\`md\n\`\`\`js\n\`\`\`\n## Evidence\n- a\n${LINE}\n`,
    ],
    [
      "code on one line",
      "``` a ```\n## Evidence\n- a\n",
      `\`\`\` a \`\`\`\n## Evidence\n- a\n${LINE}\n`,
    ],
    [
      "a fence that nothing ends",
      "~~~\n```\n## Evidence\n- a\n",
      `~~~\n\`\`\`\n## Evidence\n- a\n${LINE}\n`,
    ],
  ] as const
) {
  Deno.test(`rewriteTicket appends evidence to a body with ${name}`, () => {
    const out = text(rewriteTicket(file(FRONT, body), PATH, { edits: {}, evidence: EVIDENCE }));
    assert.equal(out, `---\n${FRONT}---\n${want}`);
  });
}

Deno.test("rewriteTicket refuses where it cannot change one key alone", () => {
  const odd = FRONT.replace("updated: 2026", "updated: &when 2026") + "x: *when\n";
  assert.throws(
    () =>
      rewriteTicket(file(odd), PATH, {
        edits: { updated: "2027-01-01T00:00:00Z" },
        evidence: EVIDENCE,
      }),
    { code: "conflict" },
  );
});

/** Odd but valid front matter: comments, quotes, blocks, unknown keys, in any order. */
const oddKeys = fc.uniqueArray(
  fc.constantFrom(
    "# a comment: with [odd] things",
    "",
    "x-unknown: {a: [1, 2], b: ~} # tail",
    "x_list:\n  - one\n  # between\n  - 'two'",
    "x_text: |\n  line one\n\n    line two",
    "x_fold: >-\n  folded\n  text",
    '"quoted key": "ä\\n\\t€ 😀"',
    'acceptance:\n- first\n- "second: #2"',
    "depends_on: [ T-0001,T-0002 ]",
    "rework:   3   # so often",
    "rework_note: 1",
    "attempts:",
    "branch: null",
    "unblock:\n    owner: bob # who\n    action: >\n      do\n      it",
    'unblock: {owner: "x", action: y}',
    "fingerprint: 'abc'",
  ),
  { selector: (entry) => entry.split(":")[0], maxLength: 12 },
);
const oddBody = fc.oneof(
  fc.constantFrom(BODY, "", "## Evidence\n", "no section", "---\nmore\n---\n"),
  fc.string({ unit: "binary" }),
);

Deno.test("rewriteTicket keeps every byte that it need not change, in odd files", () => {
  fc.assert(
    fc.property(
      oddKeys,
      oddBody,
      fc.record({
        crlf: fc.boolean(),
        bom: fc.boolean(),
        tail: fc.uint8Array(),
        mark: fc.constantFrom("---", "--- "),
      }),
      (keys, body, { crlf, bom, tail, mark }) => {
        const lines = [FRONT.trimEnd(), ...keys, ""].join("\n");
        const front = crlf ? lines.replaceAll("\n", "\r\n") : lines;
        const eol = crlf ? "\r\n" : "\n";
        const head = `${bom ? "\ufeff" : ""}${mark}${eol}`;
        const before = new Uint8Array([...bytes(`${head}${front}${mark}${eol}${body}`), ...tail]);
        const fields = readTicket(before, PATH);
        const after = rewriteTicket(before, PATH, { edits: EDITS, evidence: EVIDENCE });
        const { updated, rework, unblock, ...rest } = readTicket(after, PATH);
        assert.deepEqual({ updated, rework, unblock }, EDITS);
        const { updated: _u, rework: _r, unblock: _b, ...old } = fields;
        assert.deepEqual(rest, old);
        // Unknown keys too, and all lines that hold neither of the three.
        const at = findFront(after);
        assert.ok(typeof at === "object");
        const now = text(after.subarray(at.start, at.end));
        for (const entry of keys.filter((entry) => !/^(?:rework|unblock):/.test(entry))) {
          assert.ok(now.includes(crlf ? entry.replaceAll("\n", "\r\n") : entry), entry);
        }
        assert.equal(text(after.subarray(0, at.start)), head);
        if (crlf) assert.doesNotMatch(now, /[^\r]\n/);
        // The body: what was there, with one line (and a heading at most) put in at one place.
        const bodyBefore = before.subarray(
          findFront(before) === "none" ? 0 : (findFront(before) as { body: number }).body,
        );
        const bodyAfter = after.subarray(at.body);
        let same = 0;
        while (same < bodyBefore.length && bodyBefore[same] === bodyAfter[same]) same++;
        const behind = bodyBefore.subarray(same);
        assert.deepEqual(bodyAfter.subarray(bodyAfter.length - behind.length), behind);
        assert.ok(ticketBody(after).includes(LINE));
      },
    ),
    { numRuns: 400 },
  );
});

const word = fc.constantFrom(
  ..."a T-0001 2026-11-20T10:00:00Z null True 007 12 0x1f .5 'it''s' \"q\\n\" [] [a, [a,b] [a:b] x: x:y x# #x x*y &a *a !t | > - -x é \u{1F600} ~ {} ? @ ` % , 1_000 1e3 - \""
    .split(" "),
);
Deno.test("quickYaml gives what a YAML reader gives, or nothing", () => {
  let taken = 0;
  const line = fc.tuple(
    fc.constantFrom("a: ", "b: ", "c_d: ", "a:", "  - ", "- ", "  x: ", "# ", "  ", "", "b:\t"),
    fc.array(word, { maxLength: 3 }),
  ).map(([start, words]) => start + words.join(" "));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.boolean(), (lines, crlf) => {
      const source = lines.map((one) => one + (crlf ? "\r\n" : "\n")).join("");
      const quick = quickYaml(source);
      if (quick === undefined) return;
      taken++;
      const doc = parseDocument(source, { prettyErrors: false });
      assert.deepEqual(doc.errors.map(String), [], source);
      assert.deepEqual(quick, doc.toJS() ?? {}, JSON.stringify(source));
    }),
    { numRuns: 20_000 },
  );
  assert.ok(taken > 1000, `only ${taken} were taken`);
});

Deno.test("rewriteTicket and readTicket pass over runs of 400,000 blanks and marks", () => {
  const run = " ".repeat(400_000);
  const body = `\n## Evidence${run}x\n\n##${run}Evidence${run}##\n\n- first${run}\n`;
  const front = `${FRONT}stack:${run}'x'\n`;
  assert.equal(readTicket(file(front, body), PATH).title, "Tidy the shed");
  const after = rewriteTicket(file(FRONT, body), PATH, { edits: {}, evidence: EVIDENCE });
  assert.ok(text(after).endsWith(`${LINE}\n`));
});
