/** What each page shows (spec section 4.2), and that it stays what it is: filters, back, reload, size. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Reads } from "svc/runtime/views/all.ts";
import { pipeline } from "tests/kit/browser_board.ts";
import { HARBOR, job, jobs } from "tests/kit/browser_facts.ts";
import { debug, throughput } from "tests/kit/browser_reads.ts";
import { logIn, PHONE, seeing, unfold, WIDE } from "tests/kit/browser.ts";
import { verifies } from "tests/kit/verifies.ts";

const see = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator(".fresh").waitFor();
}

verifies(
  [
    "4.2:pipeline:shows-role-routing",
    "4.2:pipeline:shows-current-state",
    "4.2:pipeline:shows-next-trigger",
    "4.2:pipeline:shows-scores-and-trust",
  ],
  "the pipeline shows zones, routes, state, what comes next, scores and trust",
  () =>
    seeing({}, async ({ page, site }) => {
      await logIn(page, site.url);
      await page.locator(".tile").first().waitFor();
      const tiles = await page.locator(".tile").allInnerTexts();
      assert.deepEqual(
        tiles.map((text) => text.replaceAll(/\s+/g, " ").trim()),
        [
          "Needs you waits for a person 2",
          "Failing is broken 1",
          "Waiting has its turn later 13",
          "Working runs now 2",
          "Done in the last day 3",
        ].map((text) => text.replace(/^(\w+(?: you)?) (.*) (\d+)$/, "$1 $3 $2")),
      );
      const graph = page.getByRole("group", { name: /^Roles of harbor/ });
      assert.equal(await graph.locator(".node").count(), 5);
      // Two dispositions lead from engineer to qa along one line.
      assert.equal(await graph.locator(".edge").count(), 7);
      await see(page, "submitted, no work 27×");
      const engineer = page.getByRole("row", { name: /^engineer/ }).first();
      assert.match(await engineer.innerText(), /running\s+a route to it\s+78\s+contributor/);
      const ceo = page.getByRole("row", { name: /^ceo/ });
      assert.match(await ceo.innerText(), /cron 0 6 \* \* 1\s+3\/5 runs\s+contributor/);
      await see(page, "Commit or stash the changes in main");
      const age = page.locator(".card .age").first();
      assert.match(await age.innerText(), /ago$/);
      assert.match(await age.getAttribute("title") ?? "", /\d{4}/);
    }),
);

verifies(
  [
    "4.2:orchestration:page",
    "4.2:orchestration:shows-decisions",
    "4.2:debug:page",
  ],
  "orchestration answers why something ran; debug shows timeline, traces, webhooks and errors",
  () =>
    seeing({}, async ({ page, site }) => {
      await logIn(page, site.url);
      await open(page, `${site.url}/orchestration`);
      await see(page, "routed");
      await page.locator(".decision summary").first().click();
      await see(page, "engineer.routes.submitted");
      await see(page, "deno task test: passed");
      await see(page, "there is a commit");
      await page.getByRole("row", { name: /documents are right/ }).waitFor();
      await open(page, `${site.url}/debug`);
      assert.equal(await page.locator(".event-row").count(), 40);
      await page.getByRole("link", { name: /^Webhooks/ }).click();
      await see(page, "signature does not match");
      await see(page, "delivery was seen before");
      await page.getByRole("link", { name: /^Errors/ }).click();
      await see(page, /connection refused/);
      await page.locator(".job-role a").first().click();
      await page.getByRole("heading", { level: 2, name: "Turns" }).waitFor();
      await see(page, "Ended as submitted");
      await unfold(page);
      await see(page, "edited 1 place");
      await page.getByRole("link", { name: /^Changes/ }).click();
      await see(page, "+  for (let attempt = 1; ; attempt++) {");
    }),
);

/** What a page alone says: its heading, and words of its own facts. */
const OWN_WORDS: Readonly<Record<string, readonly [heading: string, ...words: RegExp[]]>> = {
  pipeline: ["Pipeline Flow", /Needs you/, /Commit or stash the changes in main/],
  roles: ["Role Health", /36 good, 5 failed/, /8 good, 4 failed/],
  throughput: ["Throughput", /Jobs by the hour/, /The last 24 hours: 2 running, 3 queued/],
  evolution: ["Evolution History", /Keeps going wrong/, /Tool "berth_lookup" was approved/],
};

verifies(
  ["4.2:pipeline:page", "4.2:roles:page", "4.2:throughput:page", "4.2:evolution:page"],
  "pipeline, roles, throughput and evolution are HTML, and each says what no other page says",
  () =>
    seeing({}, async ({ page, site }) => {
      await logIn(page, site.url);
      const said = new Map<string, string>();
      for (const [path, [heading]] of Object.entries(OWN_WORDS)) {
        const answer = await page.goto(`${site.url}/${path}`);
        assert.equal(answer!.status(), 200);
        assert.match(answer!.headers()["content-type"] ?? "", /^text\/html/);
        await page.locator(".fresh").waitFor();
        assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), heading);
        said.set(path, (await page.locator("main").innerText()).replaceAll(/\s+/g, " "));
      }
      for (const [path, [, ...words]] of Object.entries(OWN_WORDS)) {
        for (const word of words) {
          const saying = [...said].filter(([, text]) => word.test(text)).map(([name]) => name);
          assert.deepEqual(saying, [path], `${word}`);
        }
      }
    }),
);

const runningPage = (id: string) => ({
  job: job(Date.now(), { id, status: "running", disposition: null, finished_at: null }),
  ...{ task: "Look around", branch: null, decisions: [], denials: [], checks: [] },
  ...{ turns: [], diff: null, diff_cut: false, missing: ["no trace is stored yet"] },
});

Deno.test("a job's page stops the job it shows", () =>
  seeing({
    wish: {
      reads: {
        job: ({ id }) => Promise.resolve(runningPage(id)),
      },
    },
  }, async ({ page, site }) => {
    await logIn(page, site.url);
    await open(page, `${site.url}/job?id=j-1`);
    await see(page, "no trace is stored yet");
    await page.getByRole("button", { name: "Stop this job" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop this job" }).click();
    await see(page, "The job is being stopped.");
    assert.deepEqual(site.asked, ["cancel-job j-1 stopped from the dashboard"]);
  }));

Deno.test("a question is answered from its card, by a choice or in words", () =>
  seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    const card = page.locator(".card").filter({ hasText: "Choose a currency library" });
    await card.getByText("Both fit, and the ticket names none").waitFor();
    await card.getByRole("button", { name: "dinero.js" }).click();
    const dialog = page.getByRole("dialog");
    assert.equal(await dialog.getByLabel("Answer").inputValue(), "dinero.js");
    await dialog.getByLabel("Answer").fill("dinero.js, version 2");
    await dialog.getByRole("button", { name: "Answer", exact: true }).click();
    await see(page, "Answered. The ticket is in the backlog again.");
    assert.deepEqual(site.asked, [
      `answer-ticket ${HARBOR.repo_id} T-0029 j-9 dinero.js, version 2`,
    ]);
  }));

Deno.test("a running job is told something from its page", () =>
  seeing({
    wish: { reads: { job: ({ id }) => Promise.resolve(runningPage(id)) } },
  }, async ({ page, site }) => {
    await logIn(page, site.url);
    await open(page, `${site.url}/job?id=j-1`);
    await page.getByRole("button", { name: "Tell it something" }).click();
    const dialog = page.getByRole("dialog");
    assert.equal(await dialog.getByRole("button", { name: "Tell it" }).isDisabled(), true);
    await dialog.getByLabel("Note").fill("leave src/api alone");
    await dialog.getByRole("button", { name: "Tell it" }).click();
    await see(page, "Told. The role reads it before its next turn.");
    assert.deepEqual(site.asked, ["tell-job j-1 leave src/api alone"]);
  }));

Deno.test("filters live in the address: reload keeps them, back and forward walk through pages", () =>
  seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    await page.getByRole("link", { name: /^Failing/ }).click();
    assert.equal(await page.locator(".card").count(), 1);
    await page.getByRole("searchbox").fill("statement");
    await page.waitForURL("**/pipeline?zone=failing&q=statement");
    await page.reload();
    await see(page, "Round half to even in the monthly statement");
    assert.equal(await page.locator(".card").count(), 1);
    await page.locator(".card-title a").click();
    await page.getByRole("heading", { level: 2, name: "Done when" }).waitFor();
    await page.goBack();
    assert.equal(await page.getByRole("searchbox").inputValue(), "statement");
    await page.goForward();
    await page.getByRole("heading", { level: 2, name: "Done when" }).waitFor();
    await page.goBack();
    await page.getByRole("searchbox").fill("no such thing");
    await page.getByRole("link", { name: "Show everything" }).click();
    assert.equal(await page.locator(".card").count(), 11);
  }));

Deno.test("everything can be reached by keyboard alone", () =>
  seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    await page.reload();
    await page.locator(".fresh").waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await page.locator(":focus").innerText(), "Skip to content");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    assert.equal(await page.locator(":focus").innerText(), "Show the berth plan by day");
    await page.keyboard.press("k");
    assert.equal(await page.locator(":focus").innerText(), "Choose a currency library");
    await page.keyboard.press("/");
    await page.keyboard.type("tide?");
    assert.equal(await page.getByRole("searchbox").inputValue(), "tide?");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keys" });
    await help.getByLabel(/Single keys/).uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    assert.equal(await page.getByRole("dialog").count(), 0);
  }));

Deno.test("ten thousand jobs are paged by the service and drawn a window at a time", async () => {
  const all = jobs(Date.now(), 10_000);
  const asked: string[] = [];
  await seeing({
    wish: {
      reads: {
        jobs: ({ before } = {}) => {
          asked.push(before ?? "");
          const at = before === undefined ? 0 : all.findIndex(({ id }) => id === before) + 1;
          const page = all.slice(at, at + 5_000);
          const more = at + 5_000 < all.length;
          return Promise.resolve({ jobs: page, before: more ? page.at(-1)!.id : null });
        },
      },
    },
  }, async ({ page, site }) => {
    await logIn(page, site.url);
    await open(page, `${site.url}/debug?view=jobs`);
    await see(page, "5000 jobs loaded");
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await see(page, "10000 jobs loaded; these are all.");
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await page.locator(`[aria-posinset="10000"]`).waitFor();
    assert.ok(await page.locator(".rows > li").count() < 100);
    assert.equal(asked.filter((before) => before !== "").length, 1);
  });
});

Deno.test("no page is wider than a phone", () =>
  seeing({ options: { viewport: PHONE, hasTouch: true } }, async ({ page, site }) => {
    await logIn(page, site.url);
    const paths = [
      "pipeline",
      "tickets",
      "orchestration",
      "roles",
      "throughput",
      "debug",
      "debug?view=jobs",
    ];
    const more = ["debug?view=webhooks", "debug?view=errors", "debug?view=denials", "evolution"];
    for (const path of [...paths, ...more, `job?id=${job(0).id}`, "ticket?repo_id=r-harbor&id=x"]) {
      await open(page, `${site.url}/${path}`);
      await unfold(page);
      const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.equal(over, 0, path);
    }
  }));

Deno.test("Escape leaves a search as it stands: its words, the address and what is shown agree", () =>
  seeing({}, async ({ page, site }) => {
    await logIn(page, site.url, "/pipeline");
    await page.keyboard.press("/");
    await page.keyboard.type("currency");
    await page.waitForURL(/q=currency/);
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate("document.activeElement.tagName"), "BODY");
    assert.equal(await page.getByLabel("Filter").inputValue(), "currency");
    assert.match(page.url(), /q=currency/);
    assert.equal(await page.locator(".card").count(), 1);
  }));

Deno.test("a word wider than the page breaks, whoever wrote it", async () => {
  const word = "x".repeat(200);
  const reads: Partial<Reads> = {
    throughput: () => {
      const { summary, ...rest } = throughput(Date.now());
      const longest_waits = summary.longest_waits.map((one) => ({
        ...one,
        title: word,
        why: word,
      }));
      return Promise.resolve({ ...rest, summary: { ...summary, longest_waits } });
    },
    debug: () => {
      const { lanes, ...rest } = debug(Date.now());
      return Promise.resolve({ ...rest, lanes: lanes.map((one) => ({ ...one, reason: word })) });
    },
  };
  await seeing({ wish: { reads } }, async ({ page, site }) => {
    await logIn(page, site.url);
    for (const path of ["throughput", "debug?view=lanes"]) {
      await open(page, `${site.url}/${path}`);
      await see(page, new RegExp(word));
      const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.equal(over, 0, path);
    }
  });
});

Deno.test("names of 40 letters make no page wider, and more roles than can be drawn are listed", async () => {
  const long = (at: number) => `reviewer_of_a_very_long_name_${at}`.padEnd(40, "x");
  const facts = () => {
    const all = pipeline(Date.now());
    const [board] = all.repos;
    const roles = Array.from({ length: 60 }, (_, at) => ({
      ...board!.roles[0]!,
      ...{
        role: long(at),
        job_id: null,
        next: { at: null, why: `${long(at + 1)} ends with done` },
      },
    }));
    const routes = roles.map(({ role: from }) => ({ ...board!.routes[0]!, from, to: long(0) }));
    const cards = all.cards.map((card) => ({ ...card, role: long(0), why: long(0) }));
    return { ...all, cards, repos: [{ ...board!, roles, routes }] };
  };
  const reads: Partial<Reads> = {
    pipeline: () => Promise.resolve(facts()),
    orchestration: () => Promise.resolve({ repos: facts().repos, dispositions: [], decisions: [] }),
  };
  for (const viewport of [WIDE, PHONE]) {
    await seeing({ wish: { reads }, options: { viewport } }, async ({ page, site }) => {
      await logIn(page, site.url);
      for (const path of ["pipeline", "orchestration"]) {
        await open(page, `${site.url}/${path}`);
        await see(page, "60 roles are too many to be drawn here");
        await page.getByRole("row").filter({ hasText: long(59) }).first().waitFor();
        const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert.equal(over, 0, `${path} at ${viewport.width}`);
      }
    });
  }
});

Deno.test("what is empty says the next step", () =>
  seeing({
    wish: {
      reads: {
        pipeline: () =>
          Promise.resolve(pipeline(Date.now(), {
            ...{ repos: [], cards: [] },
            totals: { needs_you: 0, failing: 0, waiting: 0, working: 0, done: 0 },
          })),
      },
    },
  }, async ({ page, site }) => {
    await logIn(page, site.url);
    await see(page, "No repo is registered");
    await see(page, "svc register --repo /path/to/repo");
  }));
