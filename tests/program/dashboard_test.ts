/** The dashboard of a living `svc serve`, in a browser: a team's work from the first click to done. */
import assert from "node:assert/strict";
import { logIn, openBrowser, openPage } from "tests/kit/browser.ts";
import { SECRET } from "tests/kit/browser_site.ts";
import { HOST, runSite } from "tests/kit/run_site.ts";
import { serving } from "tests/kit/service_site.ts";
import { verifies } from "tests/kit/verifies.ts";
import { harnessedRepo } from "tests/unit/runtime/engine_place.ts";
import { TEAM } from "tests/unit/runtime/team.ts";

verifies(
  ["4.1:dashboard-listener:page-and-login-shells", "4.1:dashboard-listener:embedded-assets"],
  "a person runs a role in the dashboard of svc serve and sees its ticket come to done",
  async () => {
    await using site = await runSite({ scenario: TEAM, harness: false });
    await using repo = await harnessedRepo();
    assert.equal((await site.svc("register", "--repo", repo.path)).code, 0);
    const anywhere = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];
    await using svc = serving({
      cwd: "/",
      env: { ...site.env, SVC_DASHBOARD_CONTROL_SECRET: SECRET },
      args: ["serve", "--json", "--model-endpoint", site.model.url, ...anywhere, ...HOST],
    });
    const { dashboard_url } = await svc.first;
    const browser = await openBrowser();
    try {
      await using watched = await openPage(browser);
      const { page, faults } = watched;
      await logIn(page, dashboard_url);

      await page.keyboard.press("r");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Role").selectOption("ceo");
      await dialog.getByRole("button", { name: "Run role" }).click();
      await page.locator(".notice a").click();
      await page.getByRole("heading", { level: 1, name: /^ceo on / }).waitFor();
      await page.locator(".facts .chip", { hasText: "completed" }).waitFor();
      await page.getByText("ticket_create").first().waitFor();

      await page.getByRole("link", { name: "Pipeline" }).click();
      const done = page.locator(".card.tone-done").filter({ hasText: "Make the test pass" });
      await done.waitFor();
      await done.locator(".card-title a").click();
      await page.locator(".facts .chip", { hasText: "done" }).waitFor();
      await page.locator(".decision", { hasText: "approved" }).waitFor();

      for (const path of ["orchestration", "roles", "throughput", "debug", "evolution"]) {
        await page.goto(`${dashboard_url}/${path}`);
        await page.locator(".fresh").waitFor();
        assert.equal(await page.locator(".fault").count(), 0, path);
      }

      await page.getByRole("button", { name: "Pause" }).click();
      await dialog.getByRole("button", { name: "Pause" }).click();
      await page.locator(".pulse.paused").waitFor();
      await page.getByRole("button", { name: "Controls" }).click();
      await dialog.getByRole("button", { name: /^Stop/ }).click();
      await dialog.getByRole("button", { name: "Stop the service" }).click();
      await page.getByText("Connection lost.").waitFor();
      assert.deepEqual(faults, []);
    } finally {
      await browser.close();
    }
    const { code, stderr, stdout } = await svc.ended;
    assert.equal(code, 0, stderr);
    assert.ok(!(stdout + stderr).includes(SECRET));
  },
);
