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

Deno.test("a search is typed whole though the browser takes no more changes of the address for now", async () => {
  const long = "gardener ".repeat(4).trim();
  await seeing({}, async ({ page, site }) => {
    await page.addInitScript(`{
      const { replaceState } = History.prototype;
      let left = 20;
      History.prototype.replaceState = function (...given) {
        if (left-- <= 0) throw new DOMException("more than 20 times", "SecurityError");
        return replaceState.apply(this, given);
      };
      globalThis.allow = () => left = 20;
    }`);
    await logIn(page, site.url, "/roles");
    await page.locator(".role-row").nth(1).waitFor();
    await page.getByRole("searchbox").pressSequentially(long);
    await page.getByRole("searchbox").press("End");
    await page.getByRole("searchbox").pressSequentially(" qa");
    await page.getByText("Nothing matches this filter.").waitFor();
    await page.evaluate("allow()");
    await page.waitForURL((url) => url.searchParams.get("q") === `${long} qa`);
  });
});

Deno.test("back leads to the page before, although the address of the next one came late", async () => {
  await seeing({}, async ({ page, site }) => {
    await page.addInitScript(`{
      const { pushState } = History.prototype;
      let refused = true;
      History.prototype.pushState = function (...given) {
        if (refused) throw new DOMException("more than 100 times", "SecurityError");
        return pushState.apply(this, given);
      };
      globalThis.allow = () => refused = false;
    }`);
    await logIn(page, site.url, "/roles");
    await page.getByRole("link", { name: "Tickets", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Tickets" }).waitFor();
    await page.evaluate("allow()");
    await page.waitForURL((url) => url.pathname === "/tickets");
    await page.goBack();
    assert.equal(page.url(), `${site.url}/roles`);
    await page.getByRole("heading", { level: 1, name: "Role Health" }).waitFor();
  });
});
