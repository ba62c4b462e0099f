/**
 * The dashboard in Chromium, beside a bare page of the same run: first contentful paint, bytes of each
 * page, an event until its pixels, memory after an hour of events, the page of 5,000 tickets beside the
 * pipeline, a slow network, large traces and databases: `make bench-dashboard`.
 */
import type { Browser, Page } from "playwright-core";
import { cards, pipeline } from "tests/kit/browser_board.ts";
import { logIn, openBrowser, openPage } from "tests/kit/browser.ts";
import { manyTickets, ticketShelf } from "tests/kit/browser_tickets.ts";
import { browserSite } from "tests/kit/browser_site.ts";
import { benchJobs } from "./dashboard_jobs.ts";
import { benchSlowNetwork, PAINT } from "./dashboard_network.ts";

const PAINTS = 9;
const EVENTS = 15;
/** Events of an hour in which something happens each second. */
const HOUR_OF_EVENTS = 3_600;

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const ms = (value: number) => `${value.toFixed(0)} ms`;
const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`;

async function paints(page: Page, url: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < PAINTS; round++) {
    await page.goto(url);
    times.push(await page.evaluate<number>(PAINT));
  }
  return median(times);
}

const TICKETS = 5_000;

/** From the request of a page until the first of what it shows is drawn; the median of some loads. */
async function shownAfter(page: Page, url: string, first: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < PAINTS; round++) {
    const at = performance.now();
    await page.goto(url);
    await page.locator(first).first().waitFor();
    times.push(performance.now() - at);
  }
  return median(times);
}

async function ofTickets(browser: Browser): Promise<void> {
  await using many = browserSite({ shelf: ticketShelf(manyTickets(TICKETS)) });
  await using watched = await openPage(browser);
  const { page } = watched;
  await logIn(page, many.url);
  const least = await shownAfter(page, `${many.url}/pipeline`, ".card");
  for (
    const [name, path, first] of [
      ["board", "/tickets", ".ticket-card"],
      ["list", "/tickets?view=list", ".rows .ticket-row"],
      ["search", "/tickets?view=list&q=high%20water", ".excerpt mark"],
    ] as const
  ) {
    const took = await shownAfter(page, many.url + path, first);
    const ratio = (took / least).toFixed(1);
    console.log(`${TICKETS} tickets, ${name}: ${ms(took)}, ${ratio}× the pipeline (${ms(least)})`);
  }
  await page.goto(`${many.url}/tickets`);
  await page.locator(".ticket-card").first().waitFor();
  await page.keyboard.press("Control+k");
  const at = performance.now();
  await page.keyboard.type("T-4321");
  await page.locator('[role="option"]', { hasText: "T-4321" }).waitFor();
  console.log(
    `${TICKETS} tickets, typed into the palette until it is found: ${ms(performance.now() - at)}`,
  );
}

/** Bytes as they came over the wire, headers included, with nothing cached. */
async function bytesOf(browser: Browser, path: string): Promise<number> {
  // One of its own: logins are counted.
  await using fresh = browserSite();
  await using watched = await openPage(browser);
  const { page } = watched;
  let bytes = 0;
  page.on("requestfinished", async (request) => {
    const { responseBodySize, responseHeadersSize } = await request.sizes();
    bytes += responseBodySize + responseHeadersSize;
  });
  await logIn(page, fresh.url, path);
  await page.locator(".fresh").waitFor();
  await page.waitForLoadState("load");
  return bytes;
}

let turn = 1;
await using site = browserSite({
  reads: {
    pipeline: () => {
      const now = Date.now();
      const all = cards(now).map((one) => one.key === "T-0042" ? { ...one, turn } : one);
      return Promise.resolve(pipeline(now, { cards: all }));
    },
  },
});
const bare = Deno.serve(
  { port: 0, hostname: "127.0.0.1", onListen: () => {} },
  () =>
    new Response("<!DOCTYPE html><title>bare</title><p>bare", {
      headers: { "content-type": "text/html" },
    }),
);
const browser = await openBrowser();
try {
  await using watched = await openPage(browser);
  const { page } = watched;
  await logIn(page, site.url);
  const own = await paints(page, `${site.url}/pipeline`);
  const least = await paints(page, `http://127.0.0.1:${bare.addr.port}/`);
  console.log(`first contentful paint: ${ms(own)} (bare page ${ms(least)})`);

  await ofTickets(browser);

  await page.goto(`${site.url}/pipeline`);
  await page.locator(".pulse.on").waitFor();
  const latencies: number[] = [];
  for (let round = 0; round < EVENTS; round++) {
    await page.waitForTimeout(1_200);
    const shown = page.evaluate(`new Promise((resolve) => {
      const looking = () => document.body.innerText.includes("turn ${turn + 1} of 50")
        ? resolve(Date.now()) : requestAnimationFrame(looking);
      looking();
    })`);
    turn++;
    const at = Date.now();
    site.happen("job_update", { turn });
    latencies.push(await shown as number - at);
  }
  console.log(
    `event to pixel: median ${ms(median(latencies))}, worst ${ms(Math.max(...latencies))}`,
  );

  const client = await page.context().newCDPSession(page);
  const heap = async () => {
    await client.send("HeapProfiler.collectGarbage");
    const { usedSize } = await client.send("Runtime.getHeapUsage");
    return usedSize;
  };
  const before = await heap();
  for (let nth = 0; nth < HOUR_OF_EVENTS; nth++) {
    site.happen("job_update", { turn, nth });
    if (nth % 100 === 0) await page.waitForTimeout(100);
  }
  await page.waitForTimeout(3_000);
  console.log(`memory: ${kib(before)}, after ${HOUR_OF_EVENTS} events ${kib(await heap())}`);
  for (
    const path of [
      "/pipeline",
      "/tickets",
      "/orchestration",
      "/roles",
      "/throughput",
      "/debug",
      "/evolution",
    ]
  ) {
    console.log(
      `${path}: ${kib(await bytesOf(browser, path))} with login, nothing cached`,
    );
  }
  await benchSlowNetwork(browser, `http://127.0.0.1:${bare.addr.port}/`);
  await benchJobs(browser);
} finally {
  await browser.close();
  await bare.shutdown();
}
