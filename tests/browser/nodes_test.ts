/** The machines of a team on the page of the pipeline: what a person may ask of each, and what comes of it. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { pipeline, team } from "tests/kit/browser_board.ts";
import { logIn, PHONE, seeing } from "tests/kit/browser.ts";
import { verifies } from "tests/kit/verifies.ts";

const wish = {
  reads: { pipeline: () => Promise.resolve(pipeline(Date.now(), { nodes: team(Date.now()) })) },
};

/** The row of a node. */
const row = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByText(name, { exact: true }) });

verifies(
  ["4.2:pipeline:shows-current-state"],
  "each node has the controls that fit what it is at",
  () =>
    seeing({ wish }, async ({ page, site }) => {
      await logIn(page, site.url);
      const shown = async (name: string) =>
        await row(page, name).getByRole("button").allInnerTexts();
      assert.deepEqual(await shown("north"), ["Pause", "Drain", "Stop"]);
      assert.deepEqual(await shown("build-machine-of-the-harbour-7"), ["Pause", "Drain", "Stop"]);
      assert.deepEqual(await shown("south"), ["Resume", "Pause", "Stop"]);
      assert.deepEqual(await shown("west"), ["Resume", "Pause"]);
    }),
);

Deno.test("a node is drained by keyboard alone, with a reason, and the focus comes back", () =>
  seeing({ wish }, async ({ page, site }) => {
    await logIn(page, site.url);
    await page.getByRole("button", { name: "Pause north" }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Drain a node" });
    await dialog.getByText("north", { exact: true }).waitFor();
    await dialog.getByLabel(/^Why/).focus();
    await page.keyboard.type("to version 0.3");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("north drains; it hears of it within 5 seconds.").waitFor();
    assert.deepEqual(site.asked, ["drain-node north to version 0.3"]);
    await page.locator("dialog").waitFor({ state: "detached" });
    assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Drain north");
  }));

verifies(
  ["4.3:mutation:failure-body"],
  "a stop asks first, and a refusal is shown where it was asked",
  () =>
    seeing({ wish, options: { viewport: PHONE, hasTouch: true } }, async ({ page, site }) => {
      await logIn(page, site.url);
      const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.equal(over, 0);
      await page.getByRole("button", { name: "Stop south" }).tap();
      const dialog = page.getByRole("dialog", { name: "Stop a node" });
      await dialog.getByRole("button", { name: "Cancel" }).tap();
      await page.locator("dialog").waitFor({ state: "detached" });
      assert.deepEqual(site.asked, []);
      await page.getByRole("button", { name: "Stop south" }).tap();
      await dialog.getByRole("button", { name: "Stop this node" }).tap();
      assert.match(await dialog.getByRole("alert").innerText(), /node "south": it stops/);
      assert.deepEqual(site.asked, ["stop-node south "]);
    }),
);
