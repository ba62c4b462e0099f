import assert from "node:assert/strict";
import fc from "fast-check";
import { Failure } from "svc/core/failure.ts";
import { bytesOf, byteText } from "svc/core/marked_block.ts";
import { NO_NOTES, NOTES_BEGIN, NOTES_END, notesIn } from "svc/features/scores/manual_notes.ts";
import { type Quality, qualityPage } from "svc/features/scores/quality_page.ts";
import { debtOf } from "svc/features/scores/debt.ts";
import type { RoleScore } from "svc/features/scores/role_scores.ts";

const SCORE: RoleScore = {
  ...{ role: "engineer", score: 25.4, upper: 74.6, samples: 12, successes: 6, failures: 6 },
  ...{ trend: 3, open: 0, fixture: 0, medianMs: 60_000, tokens: 12_000 },
  ...{ lastJob: "j", lastAt: 1 },
  cost: { cost_basis: "local", cost_usd: null, cost_unknown: 0 },
  categories: [
    { category: "stuck", count: 4, tickets: ["T-0007"] },
    { category: "rework", count: 2, tickets: [] },
  ],
};
const cause = { probe: "tested-share", text: "a test names 0 of 3 files", weight: 10 };
const QUALITY: Quality = {
  ...{ scores: [SCORE], days: 30 },
  areas: [
    { name: "src", files: 3, lines: 60, layers: { tests: { grade: "F", causes: [cause] } } },
    { name: "(repo)", files: 9, lines: 90, layers: { code: { grade: "B", causes: [] } } },
  ],
};

const text = (quality: Quality) =>
  new TextDecoder().decode(bytesOf(qualityPage(quality, NO_NOTES)));

Deno.test("qualityPage says how few outcomes there are, and what lowers a grade", () => {
  const page = text(QUALITY);
  assert.match(page, /^# Quality score$/m);
  assert.match(
    page,
    /^\| engineer \| 25\.4 \(to 74\.6\) \| 12 \(6 good, 6 not\) \| \+3 {4}\| stuck ×4 \(T-0007\), rework ×2 \|$/m,
  );
  assert.match(page, /^- src, tests: F\n {2}- tested-share: a test names 0 of 3 files$/m);
  assert.doesNotMatch(page, /\(repo\), code/);
  assert.match(
    page,
    /^\| area {3}\| code \| tests \| docs \| upkeep \| files \| lines \|\n\| -{6} \| -{4} \|/m,
  );
  const few = text({ ...QUALITY, scores: [{ ...SCORE, score: null, upper: null, trend: null }] });
  assert.match(few, /\| engineer \| insufficient data \| .* \| – +\|/);
});

Deno.test("qualityPage says in its first line what was played back", () => {
  const first = (fixture: number) =>
    text({ ...QUALITY, scores: [{ ...SCORE, fixture }] }).split("\n")[0];
  assert.equal(first(12), "# Quality score (made on fixture evidence)");
  assert.equal(first(3), "# Quality score (made on fixture evidence: 3 of 12 outcomes)");
});

Deno.test("names of a repo are no markup on the page", () => {
  const evil = "a|b`c`<!-- x -->[x](y)";
  const page = text({ ...QUALITY, areas: [{ ...QUALITY.areas[0]!, name: evil }] });
  assert.ok(page.includes("| a\\|b\\`c\\`\\<!-- x --\\>\\[x\\](y) |"));
});

Deno.test("notes of any bytes stay as they are, however often the page is written", () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  fc.assert(fc.property(bytes, fc.nat(100), (some, score) => {
    const notes = `${byteText(some)}\n`;
    const once = qualityPage(QUALITY, notes);
    assert.equal(notesIn(once, "p"), notes);
    const again = qualityPage({ ...QUALITY, scores: [{ ...SCORE, score }] }, notesIn(once, "p"));
    assert.equal(notesIn(again, "p"), notes);
    assert.equal(qualityPage(QUALITY, notesIn(again, "p")), once);
  }));
});

const BROKEN: readonly (readonly [what: string, page: string, says: RegExp])[] = [
  ["no marker", "# Mine\n", /no block of manual notes/],
  ["no end", `a\n${NOTES_BEGIN}\nb\n`, /marker in line 2 has no partner/],
  ["no beginning", `${NOTES_END}\n`, /marker in line 1 has no partner/],
  ["the wrong order", `${NOTES_END}\n${NOTES_BEGIN}\n`, /has no partner/],
  [
    "two blocks",
    `${NOTES_BEGIN}\n${NOTES_END}\n${NOTES_BEGIN}\n${NOTES_END}\n`,
    /line 3 is a second/,
  ],
];

for (const [what, page, says] of BROKEN) {
  Deno.test(`notesIn refuses a page with ${what}, and says what to do`, () => {
    assert.throws(() => notesIn(page, "docs/QUALITY_SCORE.md"), (thrown) => {
      const { code, message, remedy } = thrown as Failure;
      assert.deepEqual([code, typeof remedy], ["conflict", "string"]);
      assert.match(message, says);
      return true;
    });
  });
}

Deno.test("notesIn takes markers with a carriage return, and leaves the notes theirs", () => {
  assert.equal(notesIn(`x\r\n${NOTES_BEGIN}\r\nmine\r\n${NOTES_END}\r\n`, "p"), "mine\r\n");
});

Deno.test("debtOf asks for what comes often or is poor, under a name that stays", () => {
  const drafts = debtOf(QUALITY);
  assert.deepEqual(
    drafts.map(({ fingerprint, type, source, priority }) =>
      [fingerprint, type, source, priority].join(" ")
    ),
    [
      "scores:role:engineer:stuck debt scores p2",
      "scores:tests:src debt scores p2",
    ],
  );
  assert.match(
    drafts[0]!.context!,
    /^4 of 12 outcomes of engineer in 30 days were stuck\. Newest tickets: T-0007\.$/,
  );
});

Deno.test("debtOf gives a gardener documents alone: upkeep is settings, lock files and files to remove", () => {
  const poor = { grade: "F", causes: [cause] } as const;
  const layers = { docs: poor, upkeep: poor, code: poor };
  const drafts = debtOf({ ...QUALITY, scores: [], areas: [{ ...QUALITY.areas[0]!, layers }] });
  const roles = drafts.map(({ fingerprint, role }) => `${fingerprint} ${role}`);
  assert.deepEqual(roles.sort(), [
    "scores:code:src engineer",
    "scores:docs:src gardener",
    "scores:upkeep:src engineer",
  ]);
});

Deno.test("debtOf leaves out what no change of the repo mends, and is bounded", () => {
  const server = { category: "model_protocol", count: 9, tickets: [] } as const;
  assert.deepEqual(
    debtOf({ ...QUALITY, areas: [], scores: [{ ...SCORE, categories: [server] }] }),
    [],
  );
  const areas = Array.from({ length: 40 }, (_, at) => ({ ...QUALITY.areas[0]!, name: `a${at}` }));
  assert.equal(debtOf({ ...QUALITY, areas }).length, 10);
});
