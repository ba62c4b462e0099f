/** The dashboard over a slow network, as Chromium's own tools slow it down, beside a bare page over the same. */
import type { Browser, Page } from "playwright-core";
import { logIn, openPage } from "tests/kit/browser.ts";
import { browserSite } from "tests/kit/browser_site.ts";

const BYTES_A_SECOND = 20 * 1024;
const LATENCY_MS = 150;

/** Runs in the page; resolves with the time of its first text or picture. */
export const PAINT = `new Promise((resolve) => new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) {
    if (name === "first-contentful-paint") resolve(startTime);
  }
}).observe({ type: "paint", buffered: true }))`;

/** Chrome DevTools Protocol, Network domain: the browser's cache is off, the wire slow. */
async function slowed(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send("Network.enable");
  await client.send("Network.setCacheDisabled", { cacheDisabled: true });
  await client.send("Network.emulateNetworkConditions", {
    ...{ offline: false, latency: LATENCY_MS },
    ...{ downloadThroughput: BYTES_A_SECOND, uploadThroughput: BYTES_A_SECOND },
  });
}

async function seconds(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return (performance.now() - began) / 1000;
}

export async function benchSlowNetwork(browser: Browser, bare: string): Promise<void> {
  await using site = browserSite();
  await using watched = await openPage(browser);
  const { page } = watched;
  await logIn(page, site.url);
  await slowed(page);
  await page.goto(bare);
  const least = await page.evaluate<number>(PAINT) / 1000;
  let first = 0;
  const facts = await seconds(async () => {
    await page.goto(`${site.url}/pipeline`, { waitUntil: "commit" });
    first = await page.evaluate<number>(PAINT) / 1000;
    await page.locator(".fresh").waitFor({ timeout: 120_000 });
  });
  const times = (value: number) =>
    `${value.toFixed(1)} s (${(value / least).toFixed(1)} x bare page)`;
  console.log(
    `20 KB/s and ${LATENCY_MS} ms: first contentful paint ${times(first)}, facts ${times(facts)}`,
  );
}
