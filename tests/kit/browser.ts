/** Debian's Chromium for tests: one browser a file, and pages that write down what must not happen. */
import assert from "node:assert/strict";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { type BrowserSite, browserSite, SECRET, type SiteWish } from "tests/kit/browser_site.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-headless-shell"];

/** @throws with what to install, where there is none */
function chromiumPath(): string {
  const given = Deno.env.get("SVC_CHROMIUM");
  for (const path of given === undefined ? PLACES : [given]) {
    try {
      if (Deno.statSync(path).isFile) return path;
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    }
  }
  throw new Error(
    "Cannot test the dashboard: there is no Chromium; try: make chromium, or: apt-get install chromium fonts-liberation",
  );
}

export async function openBrowser(): Promise<Browser> {
  // Chromium's sandbox refuses to run as root, as CI does.
  const args = Deno.uid() === 0 ? ["--no-sandbox"] : [];
  return await chromium.launch({ executablePath: chromiumPath(), headless: true, args });
}

export interface Watched extends AsyncDisposable {
  readonly page: Page;
  /** Reports of the content security policy, dialogs and uncaught errors; empty when all is well. */
  readonly faults: string[];
}

export const WIDE = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("dialog", (dialog) => {
    // The question of the browser before it forgets what was typed.
    if (dialog.type() !== "beforeunload") faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (/content security policy|trusted ?type|TrustedHTML/i.test(message.text())) {
      faults.push(`csp: ${message.text()}`);
    }
  });
  return { page, faults, [Symbol.asyncDispose]: () => context.close() };
}

/** Logs in by the form, as a person does. */
export async function logIn(page: Page, url: string, path = "/pipeline"): Promise<void> {
  await page.goto(url + path);
  await page.getByLabel("Control secret").fill(SECRET);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  await page.locator(".fresh").first().waitFor(); // its facts have come
}

const seenAs = (page: Page, state: "hidden" | "visible") =>
  page.evaluate(
    `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"))`,
  );

/** As a browser hides the page of a tab that is not looked at; a minute goes by on its installed clock. */
export async function hide(page: Page): Promise<void> {
  await seenAs(page, "hidden");
  await page.clock.fastForward(60_000);
}

export async function unhide(page: Page): Promise<void> {
  await seenAs(page, "visible");
}

/** Opens all that a page folds away. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)");
}

export interface Seen {
  readonly page: Page;
  readonly site: BrowserSite;
  readonly browser: Browser;
}

/** Starting one takes a second of processor: all tests of a process share it, each in a context of its own. */
let shared: Browser | undefined;
Deno.test.beforeAll(async () => {
  shared = await openBrowser();
});
Deno.test.afterAll(async () => await shared?.close());

/** A page on a site of its own; fails when anything that must not happen did. */
export async function seeing(
  { wish = {}, options = {} }: {
    readonly wish?: SiteWish;
    readonly options?: BrowserContextOptions;
  },
  look: (seen: Seen) => Promise<void>,
): Promise<void> {
  await using site = browserSite(wish);
  const browser = shared!;
  await using watched = await openPage(browser, options);
  watched.page.setDefaultTimeout(180_000); // a bound, not a promise: machines are busy
  await look({ page: watched.page, site, browser });
  assert.deepEqual(watched.faults, []);
}
