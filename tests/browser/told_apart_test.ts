/** What happened in several repos, and on several days, is told apart. */
import assert from "node:assert/strict";
import { cards, pipeline } from "tests/kit/browser_board.ts";
import { before, decisions, event, HARBOR } from "tests/kit/browser_facts.ts";
import { debug } from "tests/kit/browser_reads.ts";
import { logIn, seeing } from "tests/kit/browser.ts";

Deno.test("decisions and events of several repos name theirs", () =>
  seeing({}, async ({ page, site }) => {
    await logIn(page, site.url, "/orchestration");
    const lines = await page.locator(".decision summary").allInnerTexts();
    const of = (repo: string) => lines.filter((line) => line.split(/\s+/).includes(repo)).length;
    const all = decisions(Date.now());
    assert.equal(of("harbor"), all.filter(({ repo }) => repo === "harbor").length);
    assert.equal(of("ledger"), all.filter(({ repo }) => repo === "ledger").length);
    await page.goto(`${site.url}/debug`);
    await page.locator(".event-row").first().waitFor();
    const events = await page.locator(".event-data").allInnerTexts();
    assert.match(events.join("\n"), /^harbor · /m);
    await page.getByRole("searchbox").fill("harbor");
    await page.locator(".event-row").first().waitFor();
    // The roles of one repo lead to its own, not to those of the same name in all.
    await page.goto(`${site.url}/pipeline?repo=r-harbor`);
    await page.getByRole("row", { name: /^engineer/ }).getByRole("link", { name: "engineer" })
      .click();
    await page.waitForURL("**/roles?q=engineer&repo=r-harbor");
  }));

Deno.test("an event of another day says which day that was", () => {
  const now = Date.now();
  const old = { ...event(now, 0), at: "2026-01-31T12:00:00.000Z" };
  const held = { ...debug(now), timeline: [event(now, 0), old] };
  return seeing({
    wish: { reads: { debug: () => Promise.resolve(held) } },
    options: { locale: "en-GB", timezoneId: "Asia/Tokyo" },
  }, async ({ page, site }) => {
    await logIn(page, site.url, "/debug");
    const times = await page.locator(".event-row time").allInnerTexts();
    assert.match(times[0]!, /^\d\d:\d\d:\d\d$/);
    assert.equal(times[1], "31 Jan, 21:00:00");
    const cut = await page.evaluate(
      `[...document.querySelectorAll(".event-row time")].some((one) => one.scrollWidth > one.clientWidth)`,
    );
    assert.equal(cut, false);
  });
});

Deno.test("figures of another time than the one that is chosen say theirs", () =>
  seeing({}, async ({ page, site }) => {
    await logIn(page, site.url, "/throughput?days=30");
    const figures = (await page.locator(".figure").allInnerTexts()).map((text) =>
      text.replaceAll(/\s+/g, " ")
    );
    const of = (name: string) => figures.find((text) => text.startsWith(name));
    assert.match(of("Tickets done")!, /in 30 days$/);
    assert.match(of("Jobs")!, /^Jobs 201 ended in 24 hours, 14 failed \(7 %\)$/);
    assert.match(of("Tokens a ticket")!, /21\.8 M by all jobs in 24 hours: \$17\.90/);
  }));

Deno.test("a role that is held back leads to its jobs that failed", () => {
  const pipelineOf = () => {
    const [card] = cards(Date.now());
    const held = {
      ...{ ...card!, ...HARBOR, key: "lane:role:r-harbor/engineer", zone: "failing" as const },
      ...{ title: 'Role "engineer" is held back', ticket_id: null, job_id: null, question: null },
      ...{ role: "engineer", why: "3 jobs failed", since: before(Date.now(), 3) },
    };
    return Promise.resolve({ ...pipeline(Date.now()), cards: [held] });
  };
  return seeing({ wish: { reads: { pipeline: pipelineOf } } }, async ({ page, site }) => {
    await logIn(page, site.url);
    await page.getByRole("link", { name: 'Role "engineer" is held back' }).click();
    await page.waitForURL("**/debug?view=jobs&status=failed&repo=r-harbor&role=engineer");
    assert.equal(await page.getByLabel("State").inputValue(), "failed");
  });
});

Deno.test("a browser whose clock is minutes off tells fresh from old, and when that was", () =>
  seeing({ options: { locale: "en-GB" } }, async ({ page, site }) => {
    await page.clock.install({ time: Date.now() - 5 * 60_000 });
    await logIn(page, site.url);
    await page.clock.runFor(2_000);
    assert.match(await page.locator(".fresh").innerText(), /^updated (?:now|\d+ s ago)$/);
    await site.stop();
    const lost = page.locator(".lost-link");
    await lost.getByText("Connection lost.").waitFor();
    assert.match(await lost.innerText(), /Trying again(?: in \d+ s\.|…)/);
    const time = lost.locator("time");
    assert.match(await time.innerText(), /^\d\d:\d\d:\d\d$/);
    const off = Date.parse(await time.getAttribute("datetime") ?? "") - Date.now();
    assert.ok(Math.abs(off) < 4 * 60_000, `${off} ms off`);
    // A page that was open over night does not tell yesterday's time as today's.
    await page.clock.fastForward("36:00:00");
    await time.filter({ hasText: /^\d+ \w+, \d\d:\d\d:\d\d$/ }).waitFor();
  }));
