/** What the live screen shows: golden screens, and what holds for every size and every text. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { redactor } from "svc/core/redact.ts";
import { cells } from "svc/core/terminal_text.ts";
import type { ServiceStatus } from "svc/runtime/service/plan.ts";
import { screenOf } from "svc/terminal/screen.ts";
import type { ScreenView } from "svc/terminal/screen_view.ts";
import { team } from "tests/kit/browser_board.ts";
import { busy, NOW, quiet, repoStatus, serving, troubled } from "tests/kit/service_statuses.ts";
import { verifies } from "tests/kit/verifies.ts";

const VIEW: ScreenView = {
  ...{ columns: 80, rows: 24, now: NOW, help: false, styled: false },
  urls: { dashboard: "http://127.0.0.1:9091" },
  redact: (text) => text,
};

/** `UPDATE_GOLDEN=1` writes them anew, to be looked at in the diff. */
async function golden(name: string, lines: readonly string[]): Promise<void> {
  const file = new URL(`../../golden/${name}.txt`, import.meta.url);
  const text = `${lines.join("\n")}\n`;
  if (Deno.env.get("UPDATE_GOLDEN") !== undefined) await Deno.writeTextFile(file, text);
  assert.equal(text, await Deno.readTextFile(file));
}

const SCREENS: Readonly<Record<string, () => ServiceStatus>> = {
  start_busy: busy,
  start_empty: quiet,
  start_problem: troubled,
  serve_busy: serving.busy,
  serve_empty: serving.quiet,
  serve_problem: serving.troubled,
};

for (const [name, status] of Object.entries(SCREENS)) {
  Deno.test(`screenOf draws ${name} as the golden screens have it`, async () => {
    for (const [columns, rows] of [[80, 24], [160, 50]] as const) {
      const lines = screenOf(status(), { ...VIEW, columns, rows });
      await golden(`terminal_${name}_${columns}x${rows}`, lines);
    }
  });
}

Deno.test("screenOf stays readable at 40×10, and says so below that", async () => {
  await golden("terminal_start_busy_40x10", screenOf(busy(), { ...VIEW, columns: 40, rows: 10 }));
  const small = screenOf(busy(), { ...VIEW, columns: 39, rows: 9 }).join("\n");
  assert.match(small, /too small: 39×9\nit needs 40×10/);
});

verifies(
  ["2.1:shared-database:holds-serve-state"],
  "screenOf has a line for each node of a team, and none without a team",
  () => {
    const view = { ...VIEW, columns: 120 };
    const [first, ...others] = team(NOW);
    const nodes = [{ ...first!, name: "north\x1b[2J" }, ...others];
    const lines = screenOf(quiet({ nodes }), view).map((line) => line.trimEnd());
    const at = lines.findIndex((line) => line.startsWith("nodes"));
    assert.equal(lines[at]!.includes("\x1b"), false);
    assert.match(lines[at]!, /^nodes +▸ north.* working · 2 of 4 at work$/);
    assert.match(lines[at + 1]!, /^ +! build-machine-of-the-harbour-7 waiting · 0 of 4 .* · the/);
    assert.match(lines[at + 2]!, /^ +! south drained · 0 of 4 at work · drained by Ada: to/);
    assert.match(lines[at + 3]!, /^ +· west ended · 0 of 4 at work · stopped by Ada$/);
    assert.equal(screenOf(quiet(), view).some((line) => line.startsWith("nodes")), false);
  },
);

Deno.test("screenOf says which model and which role is held back, and what lifts it", () => {
  const heldBack: ServiceStatus["heldBack"] = [
    { kind: "model", key: "acme/large at http://m/v1", reason: "the quota is used up" },
    { kind: "role", key: "id-of-shop/qa", reason: "3 jobs failed" },
  ];
  const text = (shape: ServiceStatus["shape"]) =>
    screenOf(quiet({ heldBack, shape }), { ...VIEW, columns: 160 }).join("\n");
  assert.match(
    text("start"),
    /needs you: model acme\/large at \S+ is held back: the quota is used up; svc doctor/,
  );
  assert.match(text("start"), /needs you: shop: role qa is held back: 3 jobs failed; svc run qa/);
  assert.match(text("serve"), /shop: role qa is held back: 3 jobs failed; svc doctor says what/);
});

Deno.test("screenOf says that a limit of the day holds new jobs back, and the way out", () => {
  const hold: ServiceStatus["holds"][number] = {
    ...{ scope: "day", unit: "usd", amount: 5, spent: 5.12, unpriced: 0, until: NOW + 1 },
    ...{ repo_id: null, role: null, setBy: "day", raise: "Raise claim_limits.day, or wait" },
    says: "held until 00:00 UTC: the limit of $5.00 a day is reached ($5.12 spent)",
  };
  const lines = screenOf(quiet({ holds: [hold] }), { ...VIEW, columns: 160 });
  assert.match(lines[0]!, /^svc start · host · held · for 3 s/);
  assert.match(
    lines.join("\n"),
    /! no new job begins: held until 00:00 UTC: the limit of \$5\.00 .* Raise claim_limits\.day, or/,
  );
  assert.doesNotMatch(lines.join("\n"), /p resumes/);
});

Deno.test("screenOf says which job waits for more of a budget, and the way out", () => {
  const overBudget: ServiceStatus["overBudget"] = [{
    ...{ role: "engineer", ticket_id: "T-0007", repo_id: "id-of-shop" },
    reason: "nothing is left of the day's budget of $5.00. Raise budgets.day",
  }];
  const text = screenOf(quiet({ overBudget }), { ...VIEW, columns: 160 }).join("\n");
  assert.match(text, /needs you: shop: T-0007 waits: nothing is left of .*Raise budgets\.day/);
});

Deno.test("screenOf says why a job waits that was begun, and how long", () => {
  const putOff: ServiceStatus["putOff"] = [{
    ...{ role: "engineer", ticket_id: "T-0007", repo_id: "id-of-shop", run_after: NOW + 45_000 },
    reason: 'its model is away: Cannot ask "m": nothing\nlistens there\x1b[2J',
  }];
  const lines = screenOf(quiet({ putOff }), { ...VIEW, columns: 160 });
  assert.match(
    lines.join("\n"),
    /! engineer T-0007 · waits 45 s · its model is away: Cannot ask "m": nothing listens there/,
  );
  assert.equal(lines.join("").includes("\x1b[2J"), false);
});

Deno.test("screenOf shows what roles ask, with the command that answers, apart from other blocks", () => {
  const asked = {
    ...{ ticket: "T-0007", role: "engineer", asked: "Which\nformat?\x1b[2J" },
    ...{ choices: ["ISO", "US"], why: "no line says" },
  };
  const tickets = { ...repoStatus("shop").tickets, blocked: 2 };
  const repos = [repoStatus("shop", { questions: [asked], tickets })];
  const text = (shape: ServiceStatus["shape"]) =>
    screenOf(quiet({ shape, repos }), { ...VIEW, columns: 200 }).join("\n");
  assert.match(
    text("start"),
    /needs you: shop: T-0007, engineer asks; svc tickets answer T-0007 "…": Which format\? \(1: ISO, 2: US; why: no line says\)/,
  );
  assert.match(text("start"), /needs you: shop: 1 ticket is blocked/);
  assert.match(text("serve"), /answer T-0007 "…" --repo \/home\/ada\/work\/shop: Which/);
  assert.ok(!text("serve").includes("\x1b[2J"));
  const [first] = repos;
  repos[0] = { ...first!, root: "/home/ada/my work/it's $HOME" };
  assert.match(text("serve"), /"…" --repo '\/home\/ada\/my work\/it'\\''s \$HOME': Which/);
  const view = { ...VIEW, columns: 200, database: "/home/ada/.svc-harness/db/my svc.db" };
  const served = screenOf(quiet({ shape: "serve", repos }), view).join("\n");
  assert.match(served, /\$HOME' --db '\/home\/ada\/\.svc-harness\/db\/my svc\.db': Which/);
});

verifies("4.4:keys:help", "screenOf with help says what each key does", () => {
  const text = screenOf(busy(), { ...VIEW, columns: 120, help: true }).join("\n");
  for (
    const said of [
      /p +pause or resume/,
      /r +warm restart/,
      /s +scan all registered repos/,
      /q +stop gracefully/,
      /h \? +show or hide this help/,
    ]
  ) assert.match(text, said);
});

Deno.test("screenOf says what it waits for while it stops", () => {
  const text = screenOf(busy({ condition: "stopping" }), { ...VIEW, columns: 120 }).join("\n");
  assert.match(text, /stopping: waits for engineer on SHOP-9 \(4 min\), ceo on shop \(2 s\)/);
  assert.match(text, /Ctrl-C again to stop at once/);
});

Deno.test("screenOf counts what has no room", () => {
  const repos = Array.from({ length: 12 }, (_, at) => repoStatus(`repo-${at}`));
  const status = quiet({ shape: "serve", repos });
  const lines = screenOf(status, VIEW);
  assert.equal(lines.length, 24);
  assert.doesNotMatch(lines.join("\n"), /more/);
  // Head, foot and the two other parts leave it 7 rows: its own heads, 5 repos, and the count.
  assert.match(screenOf(status, { ...VIEW, rows: 14 }).join("\n"), /… 7 more/);
});

Deno.test("screenOf colours by need, and says the same without colour", () => {
  const styled = screenOf(troubled(), { ...VIEW, styled: true });
  assert.ok(styled.some((line) => line.includes("\x1b[31m✗ broken: shop")));
  assert.ok(styled.some((line) => line.includes("\x1b[33m! needs you: shop")));
  assert.deepEqual(styled.map(unstyled), screenOf(troubled(), VIEW));
});

Deno.test("screenOf shows no secret, cut or whole", () => {
  const secret = "hunter2hunter2hunter2";
  const view = { ...VIEW, redact: redactor([secret]) };
  for (let before = 0; before < 60; before++) {
    const repos = [repoStatus("shop", { problem: `${"x".repeat(before)} ${secret}` })];
    assert.doesNotMatch(screenOf(quiet({ repos }), view).join(""), /hunter/);
  }
});

// deno-lint-ignore no-control-regex -- they are what must not be there
const CONTROLS = /[\x00-\x1f\x7f-\x9f]/;
// deno-lint-ignore no-control-regex -- the screen's own tones
const unstyled = (line: string) => line.replaceAll(/\x1b\[(?:0|1|2|31|32|33)m/g, "").trimEnd();

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.constantFrom(
    "\x1b]0;title\x07\x1b[2J\x1b[1;1Hgone",
    "\x9b31m",
    "\u202eright to left\u2066",
    `zalgo${"\u0301".repeat(500)}`,
    "漢字".repeat(80),
    "👩‍👩‍👧‍👦🏳️‍🌈".repeat(20),
    "line\r\nfeed\ttab\u2028sep\u0085nel",
    "\ud83d alone",
  ),
);
const count = fc.nat({ max: 10_000_000 });

const statuses = fc.record({
  texts: fc.array(hostile, { minLength: 14, maxLength: 14 }),
  counts: fc.array(count, { minLength: 6, maxLength: 6 }),
  repos: fc.nat({ max: 30 }),
  condition: fc.constantFrom("starting", "running", "restarting", "stopping", "stopped" as const),
  ...{ healthy: fc.boolean(), serve: fc.boolean(), paused: fc.boolean() },
}).map(({ texts: t, counts: c, repos, condition, healthy, serve, paused }): ServiceStatus => {
  const tickets = {
    backlog: c[0]!,
    "in-progress": c[1]!,
    review: c[2]!,
    done: c[3]!,
    blocked: c[4]!,
  };
  const next = [{ role: t[0]!, at: NOW + c[5]!, why: t[1]! }, {
    role: "qa",
    at: undefined,
    why: "",
  }];
  const repo = { branch: t[3]!, problem: healthy ? undefined : t[4]!, tickets, next };
  return busy({
    ...{ shape: serve ? "serve" : "start", condition, healthy, reason: t[5]! },
    claims: paused ? "paused" : "claiming",
    repos: Array.from({ length: repos }, (_, at) => ({ ...repoStatus(`${t[2]!}${at}`), ...repo })),
    waits: [{ repo: t[6]!, id: "s", why: t[7]! }],
    running: busy().running.map((job) => ({
      ...job,
      ...{ role: t[8]!, ticket: t[9]!, step: t[10]!, turn: c[5]!, ageMs: c[0]! * 1000 },
    })),
    decisions: busy().decisions.map((decision) => ({
      ...decision,
      ...{ role: t[11]!, ticket: t[12]!, move: t[13]!, nextRole: t[0]!, stop: t[1]! },
    })),
  });
});

Deno.test("screenOf keeps to its rows and columns and lets no sequence through, whatever it is told", () => {
  fc.assert(
    fc.property(
      statuses,
      fc.nat({ max: 200 }),
      fc.nat({ max: 60 }),
      fc.boolean(),
      fc.option(hostile, { nil: undefined }),
      (status, columns, rows, help, notice) => {
        const view = { ...VIEW, columns, rows, help, ...(notice !== undefined && { notice }) };
        const lines = screenOf(status, { ...view, styled: true });
        assert.ok(lines.length <= rows);
        for (const line of lines.map(unstyled)) {
          assert.doesNotMatch(line, CONTROLS);
          assert.doesNotMatch(line, /[\p{Cf}\p{Zl}\p{Zp}]/u);
          assert.ok(cells(line) <= columns, `${cells(line)} > ${columns}: ${JSON.stringify(line)}`);
        }
        assert.deepEqual(lines.map(unstyled), screenOf(status, view));
      },
    ),
    { numRuns: 150 },
  );
});
