/** Accessibility by axe-core: nothing on any page, light and dark, in and out, by any of its rules. */
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import type { Reads } from "svc/runtime/views/all.ts";
import { pipeline, team } from "tests/kit/browser_board.ts";
import { logIn, PHONE, seeing, unfold } from "tests/kit/browser.ts";
import { job, jobs } from "tests/kit/browser_facts.ts";
import { manyTickets, ticketShelf } from "tests/kit/browser_tickets.ts";
import { busyReads } from "tests/kit/browser_reads.ts";

const PAGES = [
  "/pipeline",
  "/tickets",
  "/tickets?view=list&q=berth",
  "/orchestration",
  "/roles",
  "/throughput",
  "/throughput?view=costs",
  "/debug",
  "/debug?view=jobs",
  "/debug?view=webhooks",
  "/evolution",
  `/job?id=${job(0).id}`,
  "/ticket?repo_id=r-harbor&id=T-0042",
  "/ticket?repo_id=r-harbor&id=T-0042&edit=fields",
  "/ticket?repo_id=r-harbor&id=T-0042&edit=text",
];

/** Dialogs by the keys that open them on the page of a ticket. */
const DIALOGS = { help: "?", control: "r", palette: "Control+k", "new ticket": "n", move: "m" };

/** A few rows of each list are as good as many, and looked at sooner. */
const FEW = 4;
const held = busyReads(Date.now);
const few: Partial<Reads> = {
  pipeline: () => Promise.resolve(pipeline(Date.now(), { nodes: team(Date.now()) })),
  tickets: ticketShelf(manyTickets(2 * FEW)).reads.tickets,
  throughput: async () => {
    const { recent_jobs, ...rest } = await held.throughput();
    return { ...rest, recent_jobs: recent_jobs.slice(4, 4 + FEW) };
  },
  jobs: () => Promise.resolve({ jobs: jobs(Date.now(), 10).slice(4, 4 + FEW), before: null }),
  debug: async () => {
    const { timeline, errors, ...rest } = await held.debug();
    return { ...rest, timeline: timeline.slice(0, FEW), errors: errors.slice(0, FEW) };
  },
};

/** Rules that colours decide; all others find the same in the light and in the dark. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

async function faultsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  // "Legacy" spares a second page; no page here has frames.
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  if (rules !== undefined) axe.withRules([...rules]);
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`)
  );
}

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(`axe finds nothing on any page, ${colorScheme}`, async () => {
    const rules = colorScheme === "dark" ? OF_COLOURS : undefined;
    await seeing({ wish: { reads: few }, options: { colorScheme } }, async ({ page, site }) => {
      await page.goto(`${site.url}/login`);
      await page.getByLabel("Control secret").waitFor();
      assert.deepEqual(await faultsOf(page, rules), [], "logged out");
      await logIn(page, site.url);
      for (const path of PAGES) {
        await page.goto(site.url + path);
        await page.locator(".fresh").waitFor();
        await unfold(page);
        assert.deepEqual(await faultsOf(page, rules), [], path);
      }
      await page.goto(`${site.url}/ticket?repo_id=r-harbor&id=T-0042`);
      await page.locator(".fresh").waitFor();
      for (const [name, key] of Object.entries(DIALOGS)) {
        await page.keyboard.press(key);
        await page.getByRole("dialog").waitFor();
        assert.deepEqual(await faultsOf(page, rules), [], name);
        await page.keyboard.press("Escape");
        await page.locator("dialog").waitFor({ state: "detached" });
      }
      await page.goto(`${site.url}/pipeline`);
      await page.getByRole("button", { name: "Stop north" }).click();
      await page.getByRole("dialog").waitFor();
      assert.deepEqual(await faultsOf(page, rules), [], "control of a node");
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Send back" }).first().click();
      await page.locator(".review .diff").waitFor();
      assert.deepEqual(await faultsOf(page, rules), [], "action");
      await page.keyboard.press("Escape");
      await site.stop();
      await page.getByText("Connection lost.").waitFor();
      assert.deepEqual(await faultsOf(page, rules), [], "connection lost");
    });
  });
}

Deno.test("axe finds nothing on a phone", async () => {
  await seeing(
    { wish: { reads: few }, options: { viewport: PHONE, hasTouch: true } },
    async ({ page, site }) => {
      await logIn(page, site.url);
      const paths = ["/pipeline", "/tickets", "/roles", "/throughput?view=costs"];
      for (const path of [...paths, "/debug?view=webhooks"]) {
        await page.goto(site.url + path);
        await page.locator(".fresh").waitFor();
        assert.deepEqual(await faultsOf(page), [], path);
      }
    },
  );
});
