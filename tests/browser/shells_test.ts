/** The pages as they are sent: valid, within their policy, small, and readable without JavaScript. */
import assert from "node:assert/strict";
import { CspEvaluator } from "csp_evaluator/dist/evaluator.js";
import { Severity } from "csp_evaluator/dist/finding.js";
import { CspParser } from "csp_evaluator/dist/parser.js";
import { HtmlValidate } from "html-validate";
import { PAGES as PAGE_TITLES } from "svc/http/pages.ts";
import { logIn, openBrowser, openPage } from "tests/kit/browser.ts";
import { browserSite } from "tests/kit/browser_site.ts";
import { verifies } from "tests/kit/verifies.ts";

const PAGES = ["pipeline", "tickets", "orchestration", "roles", "throughput", "debug", "evolution"];
const ALL = [...PAGES, "job", "ticket", "login"];

/** All of it, as a browser fetches it the first time. */
const GZIP_BYTES = 120 * 1024;

async function gzipped(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(packed).bytes()).length;
}

verifies(
  ["4.2:root:redirects-to-pipeline", "4.2:pipeline:page"],
  "every page is valid HTML under the strict policy, and / leads to the pipeline",
  async () => {
    await using site = browserSite();
    const first = await fetch(site.url, { redirect: "manual" });
    await first.body?.cancel();
    assert.equal(first.status, 302);
    assert.equal(first.headers.get("location"), "/pipeline");
    const validator = new HtmlValidate();
    for (const page of ALL) {
      const answer = await fetch(`${site.url}/${page}`);
      const html = await answer.text();
      assert.equal(answer.status, 200, page);
      if (page !== "login") {
        const title = PAGE_TITLES[page as keyof typeof PAGE_TITLES];
        assert.match(html, new RegExp(`<title>${title} · svc</title>`));
        assert.match(html, new RegExp(`<h1>${title}</h1>`));
      }
      assert.match(answer.headers.get("content-type") ?? "", /^text\/html/);
      const { results } = await validator.validateString(html, `${page}.html`);
      assert.deepEqual(results.flatMap(({ messages }) => messages), [], page);
      const csp = new CspParser(answer.headers.get("content-security-policy") ?? "").csp;
      const found = new CspEvaluator(csp).evaluate().filter((one) => one.severity < Severity.INFO);
      // The one "maybe" that any policy with 'self' has; nothing here serves what others wrote.
      assert.deepEqual(
        found.map(({ directive, value, severity }) => [directive, value, severity]),
        [
          ["script-src", "'self'", Severity.MEDIUM_MAYBE],
        ],
        page,
      );
      assert.doesNotMatch(html, /<script(?![^>]*src=)|\son\w+=|style=/i, "inline code");
    }
  },
);

/** In a page: what becomes of text that a script writes as HTML. */
const WRITTEN = `(() => {
  const place = document.createElement("div");
  try {
    place.innerHTML = "<b>text</b>";
  } catch (thrown) {
    return thrown.name;
  }
  return place.innerHTML;
})()`;

verifies("4.2:pipeline:page", "no page lets a script turn plain text into HTML", async () => {
  await using site = browserSite();
  const browser = await openBrowser();
  try {
    await using watched = await openPage(browser);
    for (const path of ALL) {
      await watched.page.goto(`${site.url}/${path}`);
      assert.equal(await watched.page.evaluate(WRITTEN), "TypeError", path);
    }
  } finally {
    await browser.close();
  }
});

Deno.test("the dashboard weighs no more than 120 KB packed", async () => {
  await using site = browserSite();
  let bytes = 0;
  for (
    const path of [
      "pipeline",
      "assets/app.js",
      "assets/app.css",
      "assets/first.css",
      "assets/favicon.svg",
    ]
  ) {
    bytes += await gzipped(await (await fetch(`${site.url}/${path}`)).bytes());
  }
  assert.ok(bytes <= GZIP_BYTES, `${bytes} bytes`);
});

Deno.test("without JavaScript each page says what it is and what to do", async () => {
  await using site = browserSite();
  const browser = await openBrowser();
  try {
    await using watched = await openPage(browser, { javaScriptEnabled: false });
    for (const path of ALL) {
      await watched.page.goto(`${site.url}/${path}`);
      assert.notEqual(await watched.page.getByRole("heading", { level: 1 }).innerText(), "");
      assert.match(await watched.page.locator("noscript").innerText(), /needs JavaScript/);
      assert.match(await watched.page.locator("pre").innerText(), /^(?:svc|ls|git) /);
    }
    assert.deepEqual(watched.faults, []);
  } finally {
    await browser.close();
  }
});

verifies(
  "7:status-404:unknown-page-or-asset",
  "a browser at a wrong address is shown where the pages are, and a program gets the refusal",
  async () => {
    await using site = browserSite();
    const wrong = `${site.url}/costs`;
    const browser = await openBrowser();
    try {
      await using watched = await openPage(browser);
      const { page } = watched;
      await logIn(page, site.url, "/pipeline");
      const answer = await page.goto(wrong);
      assert.equal(answer!.status(), 404);
      const { results } = await new HtmlValidate().validateString(
        await answer!.text(),
        "lost.html",
      );
      assert.deepEqual(results.flatMap(({ messages }) => messages), []);
      assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "No such page");
      await page.getByRole("link", { name: "Tickets" }).click();
      await page.getByRole("heading", { level: 1, name: "Tickets" }).waitFor();
    } finally {
      await browser.close();
    }
    const html = "text/html,application/xhtml+xml,*/*;q=0.8";
    const others: readonly (readonly [string, RequestInit])[] = [
      [wrong, { headers: { accept: "*/*" } }],
      [wrong, { headers: { accept: "image/avif,image/webp,*/*" } }],
      [`${site.url}/api/costs-of-all`, { headers: { accept: html } }],
      [wrong, { method: "POST", headers: { accept: html } }],
    ];
    for (const [url, init] of others) {
      const answer = await fetch(url, init);
      assert.equal(answer.status, 404);
      assert.deepEqual(await answer.json(), { ok: false, error: "not found" });
    }
  },
);

Deno.test("a browser in which the program does not run says what is needed", async () => {
  await using site = browserSite();
  const browser = await openBrowser();
  try {
    await using watched = await openPage(browser);
    const { page } = watched;
    // As one of 2022 would read it: it knows no flag "v", and the whole file is a SyntaxError.
    await page.route(
      "**/app.js",
      (route) => route.fulfill({ contentType: "text/javascript", body: "/[a--b]/vv" }),
    );
    const late = page.locator(".late");
    for (const path of ALL) {
      await page.goto(`${site.url}/${path}`);
      assert.equal(await late.isVisible(), false, path);
      await page.evaluate("document.getAnimations().forEach((one) => one.finish())");
      assert.equal(await late.isVisible(), true, path);
      assert.match(await late.innerText(), /needs Chrome .* Safari [\s\S]* In a terminal: svc /);
    }
    await page.unroute("**/app.js");
    await logIn(page, site.url);
    assert.equal(await late.count(), 0);
  } finally {
    await browser.close();
  }
});
