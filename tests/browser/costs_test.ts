/** Costs on the page of throughput: over days, by ticket, role and model; what has no price says so. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { busyReads } from "tests/kit/browser_reads.ts";
import { logIn, PHONE, seeing, unfold } from "tests/kit/browser.ts";

/** A day that does not end while a test looks at it. */
const NOON = Date.UTC(2026, 10, 23, 12);

const rowsOf = async (page: Page, table: number) =>
  (await page.locator("table.stack").nth(table).locator("tbody tr").allInnerTexts())
    .map((text) => text.replaceAll(/\s+/g, " ").trim());

Deno.test("costs are told over days and by ticket, role and model, wherever the browser stands", () =>
  seeing({
    wish: { reads: { costs: busyReads(() => NOON).costs } },
    // There the midnight that begins a day in UTC lies in the day before.
    options: { timezoneId: "America/Los_Angeles", locale: "en-US" },
  }, async ({ page, site }) => {
    await logIn(page, site.url, "/throughput");
    await page.getByRole("link", { name: "Costs" }).click();
    await page.getByRole("heading", { name: "Costs by day" }).waitFor();
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Throughput");
    const lead = await page.locator(".lead").innerText();
    assert.match(lead, /^118 jobs in 30 days: \$42\.17, and 5\.5 M tokens without a price$/);
    await page.locator(".chart canvas").waitFor();
    await page.getByText("What 2 jobs cost is not known").waitFor();
    await unfold(page);
    const today = new Intl.DateTimeFormat("en-US", {
      ...{ day: "numeric", month: "short", timeZone: "UTC" } as const,
    }).format(NOON);
    assert.match((await rowsOf(page, 0))[0]!, new RegExp(`^${today} \\$2\\.10 6 `));
    // The legend names the day under the cursor as the table does.
    const plot = await page.locator(".u-over").boundingBox();
    await page.mouse.move(plot!.x + plot!.width - 8, plot!.y + 40);
    await page.locator(".u-legend").getByText(today).waitFor();

    assert.deepEqual((await rowsOf(page, 1)).map((row) => row.replace(/ \d+ [\d.]+ .*$/, "")), [
      "T-0042 harbor $9.81",
      "T-0029 harbor $2.40, and 300 k tokens without a price",
      "T-0011 harbor no price (local)",
      "without a ticket <$0.01",
    ]);
    await page.getByRole("link", { name: "By model" }).press("Enter");
    await page.getByRole("row", { name: /^openrouter\/some-model no price known/ }).waitFor();
    await page.getByRole("row", { name: /^Qwen3-\S+ no price \(local\)/ }).waitFor();
    assert.equal(await page.getByText("$0.00").count(), 0);
    await page.getByLabel("Time").selectOption("7");
    await page.waitForURL("**/throughput?view=costs&by=model&days=7");
    await page.getByText(/in 7 days:/).waitFor();
    await page.reload();
    await page.getByRole("row", { name: /^openrouter/ }).waitFor();
    assert.equal(await page.getByLabel("Time").inputValue(), "7");
  }));

/** Keeps what is written on canvases, and where. */
const WRITTEN = `globalThis.written = [];
const { fillText } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  const at = this.getTransform().transformPoint({ x, y });
  globalThis.written.push({ text, x: at.x });
  return fillText.call(this, text, x, y);
}`;

for (const timezoneId of ["Asia/Tokyo", "America/Los_Angeles"]) {
  Deno.test(`a day of costs stands above its own name, in ${timezoneId}`, () =>
    seeing({
      wish: { reads: { costs: busyReads(() => NOON).costs } },
      options: { timezoneId, locale: "en-US" },
    }, async ({ page, site }) => {
      await page.addInitScript(WRITTEN);
      await logIn(page, site.url, "/throughput?view=costs");
      await page.locator(".chart canvas").waitFor();
      const written: { text: string; x: number }[] = await page.evaluate("written");
      const days = written.filter(({ text }) => /^(?:Oct|Nov) \d+$/.test(text));
      assert.ok(days.length >= 4, JSON.stringify(written));
      const chart = (await page.locator(".chart canvas").boundingBox())!;
      for (const { text, x } of days) {
        await page.mouse.move(chart.x + x, chart.y + 60);
        const day = await page.locator(".u-legend .u-value").first().innerText();
        assert.equal(day, text);
      }
    }));
}

Deno.test("costs fit a phone, in the dark, by keyboard alone", () =>
  seeing({
    options: { viewport: PHONE, hasTouch: true, colorScheme: "dark" },
  }, async ({ page, site }) => {
    await logIn(page, site.url, "/throughput?view=costs");
    await page.locator(".chart canvas").waitFor();
    const wide = await page.evaluate("document.documentElement.scrollWidth");
    assert.equal(wide, PHONE.width);
    const reached: string[] = [];
    for (let tabs = 0; tabs < 40 && !reached.includes("T-0042"); tabs++) {
      await page.keyboard.press("Tab");
      reached.push(
        await page.evaluate("document.activeElement?.innerText?.trim().split('\\n')[0] ?? ''"),
      );
    }
    for (const name of ["Costs", "30 days", "As a table", "By role", "T-0042"]) {
      assert.ok(reached.includes(name), `${name} of ${reached.join(", ")}`);
    }
  }));

Deno.test("days in which nothing was used say how costs begin", () => {
  const nothing = {
    ...{ jobs: 0, turns: 0, tokens_in: 0, tokens_cached: 0, tokens_out: 0, tokens_local: 0 },
    ...{ tokens_unknown: 0, cost_basis: null, cost_usd: null, cost_unknown: 0 },
  };
  const costs = () =>
    Promise.resolve({
      ...{
        by: "day" as const,
        zone: "UTC" as const,
        days: 30,
        from: "2026-10-25",
        to: "2026-11-23",
      },
      ...{ rows: [], left_out: 0, total: nothing },
    });
  return seeing({ wish: { reads: { costs } } }, async ({ page, site }) => {
    await logIn(page, site.url, "/throughput?view=costs");
    await page.getByText("Nothing was used in these days").waitFor();
  });
});
