/** A page that was open while svc was upgraded, and what is typed in it meanwhile. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { hide, logIn, seeing, unhide } from "tests/kit/browser.ts";
import { browserSite, SECRET } from "tests/kit/browser_site.ts";
import { freePort } from "tests/kit/free_port.ts";

const isOld = (page: Page) => page.evaluate<boolean>("'old' in globalThis");

async function again(page: Page): Promise<void> {
  await page.getByText("Your session has ended.").waitFor();
  await page.getByLabel("Control secret").fill(SECRET);
  await page.keyboard.press("Enter");
}

Deno.test("after an upgrade of svc a page has the program of the new one, at the same view", async () => {
  const port = freePort();
  await seeing({ wish: { port } }, async ({ page, site }) => {
    await logIn(page, site.url, "/roles?q=qa");
    await page.evaluate("globalThis.old = true");
    await site.stop();
    await page.getByText("Connection lost.").waitFor();
    await using _later = browserSite({ port, upgraded: true });
    const loaded = page.waitForEvent("load");
    await again(page);
    await loaded;
    await page.locator(".role-row").first().waitFor();
    assert.equal(await isOld(page), false);
    assert.equal(page.url(), `${site.url}/roles?q=qa`);
  });
});

Deno.test("a page that was hidden during the upgrade, and the login, has the new program once it is seen", async () => {
  const port = freePort();
  await seeing({ wish: { port } }, async ({ page, site }) => {
    await logIn(page, site.url);
    const hidden = await page.context().newPage();
    await hidden.clock.install();
    await hidden.goto(`${site.url}/roles`);
    await hidden.locator(".pulse.on").waitFor();
    await hidden.evaluate("globalThis.old = true");
    await hide(hidden);
    await site.stop();
    await page.getByText("Connection lost.").waitFor();
    await using _later = browserSite({ port, upgraded: true });
    const loaded = page.waitForEvent("load");
    await again(page);
    await loaded;
    const anew = hidden.waitForEvent("load");
    await unhide(hidden);
    await anew;
    assert.equal(await isOld(hidden), false);
  });
});

Deno.test("a page in which something is typed, or of the same svc, is not loaded again", async () => {
  for (const upgraded of [true, false]) {
    const port = freePort();
    await seeing({ wish: { port } }, async ({ page, site }) => {
      await logIn(page, site.url);
      await page.evaluate("globalThis.old = true");
      const title = page.getByRole("dialog").getByLabel("Title");
      if (upgraded) {
        await page.keyboard.press("n");
        await title.fill("Not to be lost");
      }
      await site.stop();
      await page.getByText("Connection lost.").waitFor();
      await using _later = browserSite({ port, upgraded });
      const asked = page.waitForRequest((request) => request.method() === "HEAD");
      await again(page);
      await (await asked).response();
      await page.getByRole("button", { name: "Log out", includeHidden: true }).waitFor();
      if (upgraded) assert.equal(await title.inputValue(), "Not to be lost");
      assert.equal(await isOld(page), true);
    });
  }
});
