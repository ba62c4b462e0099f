/** What a page shows after its connection was lost, and what a dialog shows that covers its card. */
import assert from "node:assert/strict";
import { busyReads } from "tests/kit/browser_reads.ts";
import { logIn, PHONE, seeing } from "tests/kit/browser.ts";

/** Asks over and over while the page is open. */
const FOLLOWED = {
  roles: ["/roles", "**/api/roles"],
  "job-trace": ["/job?id=j1", "**/api/job-trace?*"],
} as const;

for (const [name, [path, url]] of Object.entries(FOLLOWED)) {
  Deno.test(`a read of ${path} that a lost connection swallowed is asked again once it is back`, () => {
    const held = busyReads(Date.now);
    let swallows = false;
    const swallowed = Promise.withResolvers<void>();
    const read = (query: { id: string }) => {
      if (!swallows) return name === "roles" ? held.roles() : held["job-trace"](query);
      swallowed.resolve();
      return new Promise<never>(() => {});
    };
    return seeing({ wish: { reads: { [name]: read } } }, async ({ page, site }) => {
      await logIn(page, site.url, path);
      // As through a tunnel whose other end went while the laptop slept: no answer, and no error.
      swallows = true;
      site.happen("job_update", { id: "j1", turn: 1 });
      await swallowed.promise;
      await page.evaluate(`dispatchEvent(new Event("offline"))`);
      await page.getByText("Connection lost.").waitFor();
      swallows = false;
      const again = page.waitForResponse(url);
      await page.evaluate(`dispatchEvent(new Event("online"))`);
      assert.ok((await again).ok());
      await page.locator(".fault").waitFor({ state: "detached" });
    });
  });
}

Deno.test("who answers a question sees it in the dialog, which covers the card on a phone", () =>
  seeing({ options: { viewport: PHONE, hasTouch: true } }, async ({ page, site }) => {
    await logIn(page, site.url);
    await page.getByRole("button", { name: "dinero.js" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("engineer asks: Which of the two libraries may it be?").waitFor();
    assert.equal(await dialog.getByLabel("Answer").inputValue(), "dinero.js");
  }));
