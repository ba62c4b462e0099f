/** Two living nodes on PostgreSQL (Debian's 15), asked by the buttons, the palette and the controls of one's pages. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { logIn, openBrowser, openPage } from "tests/kit/browser.ts";
import { SECRET } from "tests/kit/browser_site.ts";
import { POSTGRES } from "tests/kit/postgres.ts";
import { teamSite } from "tests/kit/team_site.ts";
import { verifies } from "tests/kit/verifies.ts";

const confirm = async (page: Page, verb: string, told: string) => {
  await page.getByRole("dialog").getByRole("button", { name: verb, exact: true }).click();
  await page.getByText(told).waitFor();
  await page.locator("dialog").waitFor({ state: "detached" });
};

verifies(
  ["4.2:pipeline:shows-current-state", "4.3:mutation:success-body"],
  "a person pauses, resumes and drains a living node from the pages of another",
  { ignore: POSTGRES === undefined },
  async () => {
    await using team = await teamSite({ roles: {} }, []);
    const ada = await team.node("ada", { SVC_DASHBOARD_CONTROL_SECRET: SECRET });
    const bo = await team.node("bo");
    await using first = ada.serve();
    await using second = bo.serve();
    const { dashboard_url } = await first.first;
    await second.first;
    const wanted = async () =>
      (await team.rows("SELECT wanted, reason FROM nodes WHERE name = 'bo'"))[0];
    const browser = await openBrowser();
    try {
      await using watched = await openPage(browser);
      const { page } = watched;
      page.setDefaultTimeout(60_000); // a bound, not a promise: machines are busy
      await logIn(page, dashboard_url);
      const row = page.getByRole("listitem").filter({ has: page.getByText("bo", { exact: true }) });
      const shows = async (condition: string) =>
        await row.getByText(condition, { exact: true }).first().waitFor();

      await page.getByRole("button", { name: "Pause bo" }).click();
      await page.getByRole("dialog").getByLabel(/^Why/).fill("a new disk");
      await confirm(page, "Pause this node", "bo is paused; it hears of it within 5 seconds.");
      await shows("paused");
      assert.match((await wanted())!, /^pause\|paused by .*: a new disk$/);
      await second.said(/node bo is paused/);

      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: /^Find a page/ }).fill("resume bo");
      await page.locator('[role="option"]').filter({ hasText: "Resume bo" }).click();
      await confirm(page, "Resume this node", "bo works again within 5 seconds.");
      await shows("working");
      assert.equal(await wanted(), "work|");

      await page.getByRole("button", { name: "Controls" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Drain bo" }).click();
      await confirm(page, "Drain this node", "bo drains; it hears of it within 5 seconds.");
      await shows("drained");
      assert.match((await wanted())!, /^drain\|drained by /);
      assert.deepEqual(watched.faults, []);
    } finally {
      await browser.close();
    }
  },
);
