/** Takes the pictures of docs/dashboard.md: pages over the facts of a busy service. */
import { logIn, openBrowser, openPage, PHONE, WIDE } from "tests/kit/browser.ts";
import { browserSite } from "tests/kit/browser_site.ts";

const root = decodeURIComponent(new URL("..", import.meta.url).pathname);
const TALL = { ...WIDE, height: 960 };

const PICTURES = [
  { name: "pipeline", path: "/pipeline", viewport: TALL, colorScheme: "light" },
  { name: "throughput_dark", path: "/throughput", viewport: TALL, colorScheme: "dark" },
  { name: "pipeline_phone", path: "/pipeline", viewport: PHONE, colorScheme: "light" },
] as const;

await using site = browserSite();
const browser = await openBrowser();
try {
  await Deno.mkdir(`${root}docs/images`, { recursive: true });
  for (const { name, path, ...options } of PICTURES) {
    await using watched = await openPage(browser, options);
    const { page } = watched;
    await logIn(page, site.url, path);
    await page.locator(".fresh").waitFor();
    await page.locator(".pulse.on").waitFor();
    await page.mouse.move(0, 0);
    await page.screenshot({ path: `${root}docs/images/${name}.png` });
  }
} finally {
  await browser.close();
}
