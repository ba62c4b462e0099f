/** What other engines than Chromium's lack or say otherwise, taken from it here as WebKit has it. */
import assert from "node:assert/strict";
import { STREAMS_PER_SESSION } from "svc/core/bounds.ts";
import { logIn, seeing } from "tests/kit/browser.ts";

Deno.test("where streams cannot be iterated the page follows the events all the same", async () => {
  await seeing({}, async ({ page, site }) => {
    await page.addInitScript("delete ReadableStream.prototype[Symbol.asyncIterator]");
    await logIn(page, site.url);
    await page.locator(".pulse.on").waitFor();
    const told = page.waitForResponse((answer) => answer.url().endsWith("/api/pipeline"));
    site.happen("status_change", { state: "paused" });
    await told;
    assert.equal(await page.locator(".lost-link").count(), 0);
  });
});

Deno.test("a stream that the page cannot read is given back before it asks for another", async () => {
  await seeing({}, async ({ page, site }) => {
    await page.addInitScript(
      "TextDecoderStream = class { constructor() { throw new Error('it is not there'); } }",
    );
    const statuses: number[] = [];
    page.on("response", (answer) => {
      if (answer.url().endsWith("/api/events")) statuses.push(answer.status());
    });
    await logIn(page, site.url);
    for (let nth = 0; nth < STREAMS_PER_SESSION; nth++) {
      const asked = page.waitForResponse((answer) => answer.url().endsWith("/api/events"));
      const again = page.getByRole("button", { name: "Try now" });
      await Promise.all([asked, again.click()]);
    }
    assert.deepEqual(statuses.filter((status) => status !== 200), []);
  });
});

Deno.test("a language that has no name starts the page too", async () => {
  await seeing({}, async ({ page, site }) => {
    await page.addInitScript(
      "Object.defineProperty(Navigator.prototype, 'language', { get: () => 'C' })",
    );
    await logIn(page, site.url, "/throughput");
    await page.locator(".uplot canvas").first().waitFor();
  });
});
