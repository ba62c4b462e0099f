/**
 * What the demo's model says: a script, not a model. It reads what it is asked and answers from the table
 * below; the work, the checks, the commits and the decisions are svc's, and real.
 */
import type { ChatRequest, Scenario, Step } from "tests/kit/model_endpoint.ts";
import { call, messagesOf, type Reply, said, turns } from "tests/kit/scripted_turns.ts";
import type { ScriptedReply } from "tests/kit/model_scenario.ts";

/** Calls that do not need each other's results go into one reply, as the roles' prompts ask. */
const together = (...replies: readonly ScriptedReply[]): ScriptedReply => ({
  calls: replies.flatMap(({ calls = [] }) => calls),
});

const finish = (disposition: string, evidence: string, more: object = {}) =>
  call("finish", { disposition, evidence, ...more });

const CEO = turns(
  together(
    call("file_list", { path: "." }),
    call("file_read", { path: "README.md" }),
    call("file_read", { path: "src/stats.js" }),
  ),
  together(
    call("ticket_create", {
      title: "Sort numbers as numbers in the median",
      type: "bug",
      priority: "p0",
      context: "`median` in src/stats.js sorts as text, so 10 comes before 9: the test fails.",
      acceptance: ["npm test passes"],
    }),
    call("ticket_create", {
      title: "Add the mode",
      type: "feature",
      priority: "p1",
      context: "The README asks for the most frequent number. `tally mode 3 1 3` prints 3.",
      acceptance: [
        "mode([3, 1, 3]) is 3",
        "mode([]) is null, as for the others",
        "a test proves both",
      ],
      depends_on: ["T-0001"],
    }),
    call("ticket_create", {
      title: "Add percentiles",
      type: "feature",
      priority: "p2",
      context: "The README asks for percentiles. Nearest rank is enough.",
      acceptance: ["percentile([15, 20, 35, 40, 50], 30) is 20", "a test proves it"],
      depends_on: ["T-0002"],
    }),
  ),
  finish("planned", "One bug that a test shows, and two figures that the README asks for"),
);

const MODE = `
/** The most frequent number; of several, the one that comes first. */
export function mode(numbers) {
  const counts = new Map();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return [...counts].find(([, count]) => count === most)[0];
}
`;

const MODE_TEST = `
test("mode is the most frequent number", () => {
  assert.equal(mode([3, 1, 3]), 3);
  assert.equal(mode([]), null);
});
`;

const PERCENTILE = `
/** Nearest rank: the smallest number that at least \`p\` per cent of all are no greater than. */
export function percentile(numbers, p) {
  if (numbers.length === 0) return null;
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * p / 100) - 1)];
}
`;

const PERCENTILE_TEST = `
test("percentile is the nearest rank", () => {
  assert.equal(percentile([15, 20, 35, 40, 50], 30), 20);
  assert.equal(percentile([], 30), null);
});
`;

const STATS = "src/stats.js";
const TEST = "test/stats.test.js";
const LAST_TEST = "  assert.equal(median([4, 1, 3, 2]), 2.5);\n});\n";
const LAST_LINE =
  "  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;\n}\n";

const after = (path: string, text: string, more: string) =>
  call("file_edit", { path, old: text, new: text + more });
const imports = (before: string, now: string) =>
  call("file_edit", {
    path: TEST,
    old: `import { ${before} } from`,
    new: `import { ${now} } from`,
  });
const test = call("check_run", { name: "test" });
const READ_BOTH = together(call("file_read", { path: STATS }), call("file_read", { path: TEST }));

/** By ticket, and how often it was sent back. */
const ENGINEER: Readonly<Record<string, readonly Reply[]>> = {
  "T-0001 0": [
    together(test, call("file_read", { path: STATS })),
    call("file_edit", {
      path: STATS,
      old: "[...numbers].sort();",
      new: "[...numbers].sort((a, b) => a - b);",
    }),
    test,
    together(
      call("git_commit", { message: "fix(stats): sort numbers as numbers in the median" }),
      finish("submitted", "The failing test of the median passes"),
    ),
  ],
  "T-0002 0": [
    call("file_read", { path: STATS }),
    after(STATS, LAST_LINE, MODE),
    test,
    together(
      call("git_commit", { message: "feat(stats): add the mode" }),
      finish("submitted", "mode is there; all tests pass"),
    ),
  ],
  "T-0002 1": [
    READ_BOTH,
    together(
      call("file_edit", {
        path: STATS,
        old: "export function mode(numbers) {\n",
        new: "export function mode(numbers) {\n  if (numbers.length === 0) return null;\n",
      }),
      imports("mean, median", "mean, median, mode"),
      after(TEST, LAST_TEST, MODE_TEST),
    ),
    test,
    together(
      call("git_commit", { message: "fix(stats): the mode of nothing is null, and tested" }),
      finish("submitted", "What the review asked for: null for an empty list, and a test"),
    ),
  ],
  "T-0003 0": [
    READ_BOTH,
    together(
      after(STATS, LAST_LINE, PERCENTILE),
      imports("mean, median, mode", "mean, median, mode, percentile"),
      after(TEST, LAST_TEST, PERCENTILE_TEST),
    ),
    test,
    together(
      call("git_commit", { message: "feat(stats): add percentiles" }),
      finish("submitted", "percentile by nearest rank, with a test"),
    ),
  ],
};

/** It begins with the change and with the checks that svc ran on it. */
const QA: Readonly<Record<string, readonly Reply[]>> = {
  "T-0002 0": [
    finish(
      "changes_requested",
      "mode([]) throws instead of giving null, and no test proves the acceptance",
    ),
  ],
};
const APPROVE: readonly Reply[] = [
  test,
  finish("approved", "The acceptance is met, the tests prove it and pass"),
];

/** Assistant messages of the longest play. */
const LONGEST = 20;

/** The reply that comes after so many assistant messages. */
function replyAt(replies: readonly Reply[] = [], turn: number): Reply | undefined {
  let at = 0;
  for (const reply of replies) {
    if (at === turn) return reply;
    at += messagesOf(reply);
  }
  return undefined;
}

/** A play for each ticket; what it has no answer for ends as blocked, which a person would see. */
function byTicket(play: (key: string) => readonly Reply[] | undefined): Step[] {
  return turns(...Array.from({ length: LONGEST }, (_, turn) => (request: ChatRequest) => {
    const text = said(request);
    const ticket = /^id: (T-\d{4})$/m.exec(text)?.[1];
    const rework = /^rework: (\d+)$/m.exec(text)?.[1] ?? "0";
    const reply = replyAt(play(`${ticket} ${rework}`), turn);
    if (reply === undefined) {
      return finish("blocked", `The script has no turn ${turn} for ${ticket}`);
    }
    return typeof reply === "function" ? reply(request) : reply;
  }));
}

export const DEMO: Scenario = {
  models: [{ id: "scripted-demo" }],
  roles: {
    ceo: CEO,
    engineer: byTicket((key) => ENGINEER[key]),
    qa: byTicket((key) => QA[key] ?? APPROVE),
    gardener: turns(finish("no_work", "The documents are right")),
  },
};
