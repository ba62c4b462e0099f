/** Several tabs of one browser: they share its cookie, and each goes on when another logs in or out. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { logIn, seeing } from "tests/kit/browser.ts";
import { SECRET } from "tests/kit/browser_site.ts";

async function again(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("Control secret").fill(SECRET);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
}

async function pause(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused. Running jobs go on").waitFor();
}

Deno.test("a tab acts on after the session was begun anew in another one", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    // Its stream of events has no part in it: the answer to its next act does it.
    await page.route("**/api/events", (route) => route.abort());
    const other = await page.context().newPage();
    await other.goto(`${site.url}/roles`);
    await again(other);
    await page.bringToFront();
    await pause(page);
    assert.deepEqual(site.asked, ["pause paused from the dashboard"]);
  });
});

Deno.test("a tab that asks for the secret goes on once another tab is logged in", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    const other = await page.context().newPage();
    await other.goto(`${site.url}/roles`);
    await other.getByRole("button", { name: "Log out" }).click();
    await page.getByText("Your session has ended.").waitFor();
    await other.getByLabel("Control secret").fill(SECRET);
    await other.getByRole("button", { name: "Log in" }).click();
    await other.getByRole("button", { name: "Log out" }).waitFor();
    await page.evaluate("dispatchEvent(new Event('focus'))"); // as when a person comes back to it
    await page.locator(".fresh").first().waitFor();
    await pause(page);
    await other.getByRole("button", { name: "Resume" }).waitFor();
  });
});
