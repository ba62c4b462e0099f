/** The palette of Ctrl-K: a combobox with a listbox, as the ARIA Authoring Practices say it. */
import assert from "node:assert/strict";
import { logIn, PHONE, seeing } from "tests/kit/browser.ts";
import { verifies } from "tests/kit/verifies.ts";

verifies(
  ["4.2:pipeline:page"],
  "Ctrl-K finds pages, tickets, jobs, roles and actions, by keyboard alone",
  () =>
    seeing({}, async ({ page, site }) => {
      await logIn(page, site.url);
      const field = page.getByRole("combobox", { name: /^Find a page/ });
      const active = page.locator('[role="option"][aria-selected="true"]');
      /** Resolves with the first option that fits. */
      const ask = async (words: string, fits: string | RegExp) => {
        await page.locator("dialog").waitFor({ state: "detached" });
        await page.keyboard.press("Control+k");
        await field.fill(words);
        const option = page.locator('[role="option"]').filter({ hasText: fits }).first();
        await option.waitFor();
        return option;
      };
      await page.locator(".tile").first().focus();
      await page.keyboard.press("Control+k");
      await field.waitFor();
      assert.equal(await field.getAttribute("aria-expanded"), "true");
      assert.equal(await active.innerText(), "Pipeline\ng\np");
      await page.keyboard.press("ArrowDown");
      assert.match(await active.innerText(), /^Tickets/);
      assert.equal(
        await field.getAttribute("aria-activedescendant"),
        await active.getAttribute("id"),
      );
      assert.equal(await active.count(), 1);
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      assert.notEqual(await active.innerText(), "Pipeline\ng\np", "it goes round");
      await page.keyboard.press("Escape");
      await field.waitFor({ state: "detached" });
      assert.match(await page.evaluate("document.activeElement.className"), /tile/);

      await ask("theme", "Change the theme");
      await page.keyboard.press("Escape");
      await ask("T-0012", /^T-0012/);
      assert.match(await active.innerText(), /^T-0012/);
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/ticket\?repo_id=r-harbor&id=T-0012/);
      await (await ask("gardener", /^gardener.*completed/)).click();
      await page.waitForURL(/\/job\?id=/);
      await (await ask("run gardener", /^Run gardener/)).click();
      await page.getByRole("dialog").getByRole("button", { name: "Run role" }).waitFor();
      await page.keyboard.press("Escape");
      await ask("pause", /^Pause/);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
      await page.locator(".pulse.paused").waitFor();
      await ask("throughput", /^Throughput/);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Throughput" }).waitFor();

      await page.locator("dialog").waitFor({ state: "detached" });
      await page.keyboard.press("Control+k");
      await field.fill("no such thing at all");
      await page.getByText("Nothing is found").waitFor();
      assert.equal(await field.getAttribute("aria-expanded"), "false");
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });

      // It can be turned off with the single keys; its button stays.
      await page.keyboard.press("?");
      await page.getByLabel(/Single keys/).uncheck();
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
      await page.keyboard.press("Control+k");
      assert.equal(await page.getByRole("dialog").count(), 0);
      await page.getByRole("button", { name: /^Find/ }).click();
      await field.waitFor();
      await page.setViewportSize(PHONE);
      const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.equal(over, 0);
      const box = (await page.getByRole("dialog").boundingBox())!;
      assert.ok(box.x >= 0 && box.x + box.width <= PHONE.width);
    }),
);
