/** Pages stay light: the first paint needs little, and twenty repos are no endless page. */
import assert from "node:assert/strict";
import { PAGES } from "svc/http/pages.ts";
import type { Reads } from "svc/runtime/views/all.ts";
import { board, pipeline } from "tests/kit/browser_board.ts";
import { decisions } from "tests/kit/browser_facts.ts";
import { logIn, PHONE, seeing, WIDE } from "tests/kit/browser.ts";
import { verifies } from "tests/kit/verifies.ts";

/** What a first flight of ten TCP segments carries (RFC 6928), of some 1,460 bytes each. */
const FIRST_FLIGHT_BYTES = 14 * 1024;

verifies(
  ["4.2:pipeline:page"],
  "a page is painted from its first 14 KiB, before program and further styles have come",
  async () => {
    await seeing({}, async ({ page, site }) => {
      let came: Promise<number>[] = [];
      page.on("response", (response) => {
        assert.match(response.headers()["content-security-policy"]!, /; style-src 'self'; /);
        came.push(response.body().then(({ byteLength }) => byteLength));
      });
      // A network so slow that they never come.
      await page.route(/\/app\.(?:js|css)$/, () => {});
      for (const name of Object.keys(PAGES)) {
        came = [];
        await page.goto(`${site.url}/${name}`, { waitUntil: "commit" });
        await page.locator(".lead").waitFor();
        const painted = await page.evaluate<string>(`new Promise((resolve) =>
        new PerformanceObserver((list) => {
          const names = list.getEntries().map(({ name }) => name);
          if (names.includes("first-contentful-paint")) resolve(document.querySelector("h1").innerText);
        }).observe({ type: "paint", buffered: true }))`);
        assert.ok(painted.length > 2, name);
        assert.equal(
          await page.evaluate("getComputedStyle(document.querySelector('.top')).display"),
          "flex",
        );
        const bytes = (await Promise.all(came)).reduce((sum, one) => sum + one, 0);
        assert.ok(bytes > 5_000 && bytes <= FIRST_FLIGHT_BYTES, `${name}: ${bytes} bytes`);
      }
    });
  },
);

verifies(
  ["4.2:orchestration:page"],
  "of twenty repos each is a line until it is opened, by mouse or keyboard",
  async () => {
    const orchestration = () =>
      Promise.resolve({
        ...{ decisions: decisions(Date.now()), dispositions: [] },
        repos: Array.from({ length: 20 }, (_, nth) =>
          board(Date.now(), {
            ...{ id: `r-${nth}`, basename: `repo-${nth}` },
            problem: nth === 7 ? "The manifest cannot be read" : null,
          })),
      });
    for (const viewport of [WIDE, PHONE]) {
      await seeing({ wish: { reads: { orchestration } }, options: { viewport } }, async (seen) => {
        const { page, site } = seen;
        await logIn(page, site.url, "/orchestration");
        const repo = page.locator("summary").filter({ hasText: "repo-7" });
        await repo.getByText("manifest").waitFor();
        const height = await page.evaluate<number>("document.documentElement.scrollHeight");
        assert.ok(height < 3_000, `${height} px`);
        assert.equal(await page.locator(".node").count(), 0, "nothing is drawn in vain");
        await repo.focus();
        await page.keyboard.press("Enter");
        await page.getByText("The manifest cannot be read").waitFor();
        assert.equal(await page.locator(".node").count(), 5);
        await page.locator("select[name=repo]").selectOption({ label: "repo-3" });
        await page.getByRole("group", { name: /^Roles of repo-3/ }).waitFor();
      });
    }
  },
);

Deno.test("where no repo is registered, each page says how to begin, and offers nothing in vain", () => {
  const nothing = {
    ...{ as_of: new Date().toISOString(), tickets: [], total: 0, next: null },
    ...{ broken: [], broken_total: 0, unread: [] },
    counts: { backlog: 0, "in-progress": 0, review: 0, done: 0, blocked: 0 },
  };
  const reads: Partial<Reads> = {
    repos: () => Promise.resolve([]),
    tickets: () => Promise.resolve(nothing),
    pipeline: () => Promise.resolve({ ...pipeline(Date.now()), repos: [], cards: [] }),
    orchestration: () => Promise.resolve({ repos: [], decisions: [], dispositions: [] }),
    jobs: () => Promise.resolve({ jobs: [], before: null }),
  };
  return seeing({ wish: { reads } }, async ({ page, site }) => {
    await logIn(page, site.url);
    for (const path of ["/pipeline", "/tickets", "/orchestration"]) {
      await page.goto(site.url + path);
      await page.getByText("No repo is registered").waitFor();
      // What is registered while it runs is seen by the next one alone.
      await page.getByText("then start svc again").waitFor();
    }
    await page.goto(`${site.url}/tickets`);
    await page.getByText("No repo is registered").waitFor();
    assert.equal(await page.getByRole("button", { name: "New ticket" }).count(), 0);
    await page.goto(`${site.url}/debug?view=jobs`);
    await page.getByText("No job has run yet").waitFor();
  });
});
