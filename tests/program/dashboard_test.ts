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
      await page.locator(".call-tool", { hasText: "ticket_create" }).first().waitFor();

      await page.getByRole("link", { name: "Pipeline" }).click();
      const done = page.locator(".card.tone-done").filter({ hasText: "Make the test pass" });
      await done.waitFor();
      await done.locator(".card-title a").click();
      await page.locator(".facts .chip", { hasText: "done" }).waitFor();
      await page.locator(".decision", { hasText: "approved" }).waitFor();
      assert.match(await page.locator(".facts").first().innerText(), /Attempts\s+[1-9]\d* jobs?/);
      assert.equal(await page.locator(".prose").getByText("Acceptance").count(), 0);

      for (const path of ["orchestration", "roles", "throughput", "debug", "evolution"]) {
        await page.goto(`${dashboard_url}/${path}`);
        await page.locator(".fresh").waitFor();
        assert.equal(await page.locator(".fault").count(), 0, path);
      }

      await page.getByRole("button", { name: "Pause" }).click();
      await dialog.getByRole("button", { name: "Pause" }).click();
      await page.locator(".pulse.paused").waitFor();

      // Paused, nothing takes a new ticket: what a person does to it is all that happens.
      const notice = (text: string) => page.locator(".notice").filter({ hasText: text }).last();
      await page.keyboard.press("n");
      await dialog.getByLabel("Title").fill("Sound the horn");
      await dialog.getByRole("button", { name: "Write the ticket" }).click();
      await notice("is written").getByRole("link").click();
      await page.getByRole("heading", { level: 1, name: "Sound the horn" }).waitFor();
      assert.match(await repo.git("log", "-1", "--format=%s"), /create T-\d{4}/);
      const branch = await repo.git("branch", "--show-current");
      await repo.git("switch", "-q", "-c", "elsewhere");
      await page.getByLabel("Priority").selectOption("p0");
      await notice("elsewhere").waitFor();
      await repo.git("switch", "-q", branch.trim());
      await page.getByLabel("Priority").selectOption("p0");
      await notice("has priority p0").waitFor();
      await page.keyboard.press("m");
      await dialog.getByRole("button", { name: "Move it" }).click();
      await notice("moved from backlog to in-progress").waitFor();
      assert.match(await repo.git("log", "-1", "--format=%s"), /move T-\d{4} to in-progress/);
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: /^Find/ }).fill("horn");
      await page.locator('[role="option"]').filter({ hasText: "Sound the horn" }).waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await page.goto(`${dashboard_url}/tickets?q=horn`);
      await page.locator('[data-state="in-progress"]').getByText("Sound the").waitFor();
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
