/** The text of a ticket as its page shows it: what was written stays to be read. */
import assert from "node:assert/strict";
import { ticketPage } from "tests/kit/browser_pages.ts";
import { logIn, seeing } from "tests/kit/browser.ts";

const BODY = `## Context

Steps to see it:

1. open the gate
2. wait
- then look

\\# quoted
\\~~~ quoted too

~~~sh
\`\`\` is no end
# no heading
~~~

After it.
`;

Deno.test("a ticket's text keeps its numbers, its code, and what svc has quoted", async () => {
  const reads = { ticket: () => Promise.resolve(ticketPage(Date.now(), { body: BODY })) };
  await seeing({ wish: { reads } }, async ({ page, site }) => {
    await logIn(page, site.url, "/ticket?repo_id=r-harbor&id=T-0042");
    const prose = page.locator(".prose");
    assert.deepEqual(await prose.locator("li").allInnerTexts(), [
      "1. open the gate",
      "2. wait",
      "then look",
    ]);
    assert.deepEqual(await prose.locator("p").allInnerTexts(), [
      "Steps to see it:",
      "# quoted\n~~~ quoted too",
      "After it.",
    ]);
    assert.deepEqual(await prose.locator("pre").allInnerTexts(), ["``` is no end\n# no heading"]);
  });
});

Deno.test("of a long text what is near the window is laid out, and on paper all of it", async () => {
  const items = Array.from({ length: 1_000 }, (_, nth) => `- ship ${nth}`);
  const body = `## Context\n\n${items.join("\n")}\n\nAfter them.\n`;
  const reads = { ticket: () => Promise.resolve(ticketPage(Date.now(), { body })) };
  await seeing({ wish: { reads } }, async ({ page, site }) => {
    await logIn(page, site.url, "/ticket?repo_id=r-harbor&id=T-0042");
    const item = page.locator(".prose li");
    await item.first().waitFor();
    assert.deepEqual(
      await item.allTextContents(),
      items.map((line) => line.slice(2)),
    );
    const laidOut = () =>
      page.evaluate<boolean[]>(`[...document.querySelectorAll(".prose li")]
        .map((one) => one.checkVisibility({ contentVisibilityAuto: true }))`);
    const near = (await laidOut()).filter((yes) => yes).length;
    assert.ok(near > 0 && near < 500, `${near} of 1000`);
    assert.equal((await laidOut())[0], true);
    // Lists that were cut apart stand as close as the items of one.
    const gaps = await page.evaluate<number[]>(`[98, 99].map((nth) => {
      const [one, next] = [...document.querySelectorAll(".prose li")].slice(nth, nth + 2);
      return next.getBoundingClientRect().top - one.getBoundingClientRect().bottom;
    })`);
    assert.ok(Math.abs(gaps[0]! - gaps[1]!) < 0.5, `gaps of ${gaps}`);
    // A part shows nothing beyond its edges, and makes the page no wider.
    const above = await item.nth(100).evaluate((one) =>
      one.closest(".prose-part")!.getBoundingClientRect().top - one.getBoundingClientRect().top
    );
    assert.ok(above < 0.5, `${above} px are cut off`);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
    await page.emulateMedia({ media: "print" });
    assert.ok((await laidOut()).every((yes) => yes));
  });
});
