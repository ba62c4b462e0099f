/** The frame of every page: in the narrowest window that it is made for, and as landmarks. */
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { logIn, PHONE, seeing } from "tests/kit/browser.ts";

/** A window of 1280 px at 400 % has it (WCAG 1.4.10), and so have the smallest phones. */
const NARROWEST = { width: 320, height: 568 };

/** Runs in the page: what of the head is beyond its edges, or over something else there. */
const ASTRAY = `(() => {
  const head = document.querySelector(".top").getBoundingClientRect();
  const parts = [...document.querySelectorAll(".brand, .top-side > *")]
    .map((one) => [one.textContent + one.ariaLabel, one.getBoundingClientRect()])
    .filter(([, { width }]) => width > 0);
  return parts.filter(([, { left, right, top, bottom }], nth) =>
    left < 0 || right > head.right || top < head.top || bottom > head.bottom ||
    left < (parts[nth - 1]?.[1].right ?? 0)
  ).map(([name]) => name);
})()`;

Deno.test("the head of a page fits into the narrowest window, connected or not", async () => {
  await seeing({ options: { viewport: NARROWEST } }, async ({ page, site }) => {
    await logIn(page, site.url);
    assert.deepEqual(await page.evaluate(ASTRAY), []);
    await site.stop();
    await page.locator(".pulse.lost").waitFor();
    assert.deepEqual(await page.evaluate(ASTRAY), []);
  });
});

Deno.test("all pages are in sight in the bar of the narrowest window, each with its name", async () => {
  await seeing({ options: { viewport: NARROWEST } }, async ({ page, site }) => {
    await logIn(page, site.url);
    const bar = page.getByRole("navigation", { name: "Pages" });
    const last = bar.getByRole("link", { name: "Evolution" });
    const { x, width } = (await last.boundingBox())!;
    assert.ok(x + width <= NARROWEST.width, `it ends at ${x + width}`);
    await last.click();
    await page.getByRole("heading", { level: 1, name: "Evolution History" }).waitFor();
  });
});

Deno.test("no page has two landmarks that cannot be told apart", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    for (const path of ["/throughput", "/throughput?view=costs", "/debug?view=jobs", "/roles"]) {
      await page.goto(site.url + path);
      await page.locator(".fresh").waitFor();
      const axe = new AxeBuilder({ page }).setLegacyMode(true).withRules(["landmark-unique"]);
      const { violations } = await axe.analyze();
      const found = violations.flatMap(({ nodes }) => nodes.map(({ html }) => html.slice(0, 80)));
      assert.deepEqual(found, [], path);
    }
  });
});

Deno.test("on paper nothing covers what is read, and the colours are those of paper", async () => {
  for (const viewport of [PHONE, { width: 1000, height: 700 }]) {
    await seeing({ options: { viewport, colorScheme: "dark" } }, async ({ page, site }) => {
      await logIn(page, site.url, "/job?id=j-1&view=changes");
      await page.locator(".diff pre").first().waitFor();
      await page.emulateMedia({ media: "print" });
      const fixed = await page.evaluate(`[...document.querySelectorAll("body *")]
        .filter((one) => /fixed|sticky/.test(getComputedStyle(one).position) && one.checkVisibility())
        .map((one) => one.className)`);
      assert.deepEqual(fixed, []);
      assert.equal(await page.locator("main button:visible").count(), 0);
      const colour = await page.evaluate<string>("getComputedStyle(document.body).color");
      assert.equal(colour, "rgb(30, 29, 26)");
    });
  }
});
