/** Takes the pictures of the docs: the pipeline of a real run of the demo, and pages over the facts of a busy service. */
import { Dashboard } from "demo/dashboard.ts";
import { DEMO } from "demo/model.ts";
import { started, startService } from "demo/service.ts";
import { demoSite } from "demo/site.ts";
import type { Pipeline } from "svc/runtime/views/pipeline_view.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { logIn, openBrowser, openPage, PHONE, WIDE } from "tests/kit/browser.ts";
import { browserSite, SECRET } from "tests/kit/browser_site.ts";

const root = decodeURIComponent(new URL("..", import.meta.url).pathname);
const TALL = { ...WIDE, height: 960 };

const LIGHT = { viewport: TALL, colorScheme: "light" } as const;

const PICTURES = [
  { name: "pipeline_busy", path: "/pipeline", ...LIGHT },
  { name: "throughput_dark", path: "/throughput", viewport: TALL, colorScheme: "dark" },
  { name: "tickets", path: "/tickets", ...LIGHT },
  { name: "pipeline_phone", path: "/pipeline", viewport: PHONE, colorScheme: "light" },
] as const;

/** A time at which the second ticket is worked on. */
async function realRun(browser: Browser): Promise<void> {
  const pace = () => new Promise<void>((resolve) => setTimeout(resolve, 600));
  await using model = modelEndpoint(DEMO, { pace });
  const service = startService(await demoSite(undefined), model.url, SECRET);
  try {
    const { origin } = new URL((await started(service)).dashboard_url);
    const dashboard = new Dashboard(origin);
    await dashboard.login(SECRET);
    for await (const { type } of dashboard.events(AbortSignal.timeout(120_000))) {
      if (type !== "job_turn") continue;
      const { cards, repos } = await dashboard.read<Pipeline>("/api/pipeline");
      const works = cards.some(({ zone, turn }) => zone === "working" && (turn ?? 0) > 1);
      if (works && repos[0]?.tickets.done === 2) break;
    }
    await picture(browser, origin, { name: "pipeline", path: "/pipeline", ...LIGHT });
  } finally {
    service.kill("SIGTERM");
    await service.status;
  }
}

interface Picture extends BrowserContextOptions {
  readonly name: string;
  readonly path: string;
}

async function picture(browser: Browser, url: string, { name, path, ...options }: Picture) {
  await using watched = await openPage(browser, options);
  const { page } = watched;
  await logIn(page, url, path);
  await page.locator(".fresh").waitFor();
  await page.locator(".pulse.on").waitFor();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${root}docs/images/${name}.png` });
}

await using site = browserSite();
const browser = await openBrowser();
try {
  await Deno.mkdir(`${root}docs/images`, { recursive: true });
  await realRun(browser);
  for (const wish of PICTURES) await picture(browser, site.url, wish);
} finally {
  await browser.close();
}
