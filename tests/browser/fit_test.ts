/** What is long, many, or in a script of its own stays in its place. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { boards, pipeline } from "tests/kit/browser_board.ts";
import { jobs, REPOS } from "tests/kit/browser_facts.ts";
import { busyReads, evolution } from "tests/kit/browser_reads.ts";
import { manyTickets, ticketShelf } from "tests/kit/browser_tickets.ts";
import { logIn, PHONE, seeing, WIDE } from "tests/kit/browser.ts";

const LONG = "a-repo-whose-name-somebody-in-marketing-chose-in-2019-and-nobody-changed-since";

const fits = async (page: Page) => {
  const [inner, outer] = await page.evaluate<[number, number]>(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  );
  assert.ok(inner <= outer, `${inner} px in ${outer} at ${page.url()}`);
};

const widthOf = async (page: Page, selector: string) =>
  (await page.locator(selector).first().boundingBox())!;

Deno.test("a long name of a repo keeps filters in one line, and the words beside it whole", () => {
  const repos = () => Promise.resolve([{ id: "r-harbor", basename: LONG }, REPOS[1]!]);
  const pipelineOf = () => {
    const [board, ...rest] = boards(Date.now());
    const roles = board!.roles.map((role) => ({
      ...role,
      ...(role.role === "engineer" && {
        next: {
          at: null,
          why:
            'Attempt 2 of 3 comes later: Cannot ask the model "acme-large-1" at "http://127.0.0.1:18181/v1"',
        },
      }),
    }));
    const named = { ...board!, basename: LONG, roles };
    return Promise.resolve({ ...pipeline(Date.now()), repos: [named, ...rest] });
  };
  const reads = { repos, pipeline: pipelineOf };
  return seeing({ wish: { reads }, options: { viewport: WIDE } }, async ({ page, site }) => {
    await logIn(page, site.url, "/pipeline");
    await fits(page);
    const [search, repo] = [await widthOf(page, ".search"), await widthOf(page, ".choose")];
    assert.equal(search.y, repo.y);
    const link = await widthOf(page, ".section-head .note a[href^='/orchestration']");
    assert.ok(link.height < 24, `${link.height} px high`);
    for (const role of await page.locator("tbody .role-name a").all()) {
      const name = (await role.boundingBox())!;
      assert.ok(name.height < 24, `${await role.innerText()} is broken`);
    }
  });
});

Deno.test("failures of a month fit each window, those of today in sight, and no day is left out", () => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const telemetry = Array.from({ length: 30 }, (_, ago) => ago)
    .filter((ago) => ago !== 4)
    .map((ago) => ({ day: day(ago), category: "model_unreachable", count: 1 + ago % 3 }));
  const reads = {
    evolution: () => Promise.resolve({ ...evolution(Date.now()), telemetry }),
  };
  return seeing({ wish: { reads } }, async ({ page, site }) => {
    await logIn(page, site.url, "/evolution");
    for (const viewport of [WIDE, PHONE]) {
      await page.setViewportSize(viewport);
      await page.goto(`${site.url}/evolution`);
      await page.locator(".days").waitFor();
      await fits(page);
      assert.equal(await page.locator(".days thead th").count(), 31);
      const frame = await widthOf(page, ".days-frame");
      const last = (await page.locator(".days thead th").last().boundingBox())!;
      assert.ok(last.x + last.width <= frame.x + frame.width + 1, "today is out of sight");
    }
    // A month says its name.
    assert.match((await page.locator(".days thead th").allInnerTexts()).join(" "), /[A-Z][a-z]{2}/);
  });
});

Deno.test("on a phone a ticket shows its state first, and jobs name their ticket", () => {
  const shelf = ticketShelf(manyTickets(3));
  return seeing({
    wish: { shelf },
    options: { viewport: PHONE, hasTouch: true },
  }, async ({ page, site }) => {
    await logIn(page, site.url, "/ticket?repo_id=r-harbor&id=T-0001");
    const state = await widthOf(page, ".page-head .chip");
    assert.ok(state.y < 200);
    await page.goto(`${site.url}/debug?view=jobs`);
    const row = page.locator(".job-row:not(.job-heads)").first();
    await row.waitFor();
    const ticket = jobs(Date.now(), 400)[0]!.ticket_id!;
    assert.ok((await row.innerText()).includes(ticket));
    await fits(page);
  });
});

Deno.test("what is not there leads to what is", () =>
  seeing({
    wish: {
      reads: {
        ...{ ticket: () => Promise.resolve(undefined), job: () => Promise.resolve(undefined) },
      },
    },
  }, async ({ page, site }) => {
    await logIn(page, site.url, "/debug?view=jobs");
    await page.goto(`${site.url}/job?id=gone`);
    await page.getByText("no such job").waitFor();
    await page.getByRole("link", { name: "look at all jobs" }).click();
    await page.waitForURL("**/debug?view=jobs");
    await page.goto(`${site.url}/ticket?repo_id=r-harbor&id=T-7777`);
    await page.getByText("no such ticket").waitFor();
    await page.getByRole("link", { name: "search all tickets" }).click();
    await page.waitForURL("**/tickets?view=list&q=T-7777");
  }));

Deno.test("where the system chooses the colours, the page and what failed can be told from the others", () =>
  seeing({
    wish: { reads: { throughput: busyReads(Date.now).throughput } },
    options: { forcedColors: "active" },
  }, async ({ page, site }) => {
    await logIn(page, site.url, "/throughput");
    await page.locator(".chart canvas").waitFor();
    const styles = (selector: string, property: string) =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll("${selector}")].map((one) => getComputedStyle(one)["${property}"])`,
      );
    for (const place of [".nav a", ".views a"]) {
      const lines = await styles(place, "borderBottomColor");
      assert.equal(new Set(lines).size, 2, `${place}: ${lines}`);
    }
    const [failed, completed] = await styles(".u-legend .u-marker", "backgroundColor");
    assert.notEqual(failed, completed);
  }));

Deno.test("on paper the board has all its columns", () =>
  seeing({ options: { viewport: { width: 718, height: 1000 } } }, async ({ page, site }) => {
    await logIn(page, site.url, "/tickets");
    await page.locator(".ticket-card").first().waitFor();
    await page.emulateMedia({ media: "print" });
    const columns = await page.locator(".column").all();
    assert.equal(columns.length, 5);
    for (const column of columns) {
      const { x, width } = (await column.boundingBox())!;
      assert.ok(x >= 0 && x + width <= 718, `${x} to ${x + width}`);
    }
  }));
