/** Hostile text in every field of every answer: it is read as text, whatever it says. */
import assert from "node:assert/strict";
import type { Reads } from "svc/runtime/views/all.ts";
import { logIn, seeing, unfold } from "tests/kit/browser.ts";
import { busyReads } from "tests/kit/browser_reads.ts";
import { until } from "tests/kit/until.ts";

const CORPUS = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(2)>`,
  `<svg/onload=alert(3)>`,
  `javascript:alert(4)`,
  `'-alert(5)-'`,
  `</title><iframe srcdoc="<script>alert(6)</script>">`,
  `data:text/html,<script>alert(7)</script>`,
  `{{constructor.constructor("alert(8)")()}}`,
  `<a href="javascript:alert(9)">x</a>`,
  `__proto__`,
  `\u202e\u0000<b style="position:fixed;inset:0">`,
  `# <img src=x onerror=alert(10)>\n- \`<script>alert(11)</script>\``,
];

/** Names by which a page looks things up, and shapes that a reader of dates and numbers needs. */
const KEPT = new Set(["zone", "status", "state", "id", "repo_id", "job_id", "kind", "day"]);
const TIME = /^\d{4}-\d\d-\d\dT/;

/** Every text replaced by one of the corpus, in turn. */
function poisoned<T>(value: T, turn = { at: 0 }): T {
  const walk = (given: unknown, key: string): unknown => {
    if (typeof given === "string") {
      if (TIME.test(given) || KEPT.has(key)) return given;
      // A diff and its lines are still to be found as such.
      const evil = CORPUS[turn.at++ % CORPUS.length]!;
      return key === "diff" ? given.replaceAll("upload", evil.replaceAll("\n", " ")) : evil;
    }
    if (Array.isArray(given)) return given.map((one) => walk(one, key));
    if (given === null || typeof given !== "object") return given;
    return Object.fromEntries(
      Object.entries(given).map(([name, one]) => [name, walk(one, name)]),
    );
  };
  return walk(value, "") as T;
}

/** What is asked for by its name must still be found by it. */
const NAMED = ["repo-roles", "jobs"];

function hostileReads(): Partial<Reads> {
  const turn = { at: 0 };
  return Object.fromEntries(
    Object.entries(busyReads(Date.now)).filter(([name]) => !NAMED.includes(name)).map((
      [name, read],
    ) => [
      name,
      async (...args: never[]) =>
        poisoned(await (read as (...args: never[]) => Promise<unknown>)(...args), turn),
    ]),
  );
}

const PAGES = [
  "/pipeline",
  "/pipeline?zone=needs_you&q=<script>alert(1)</script>",
  "/tickets",
  "/tickets?view=list&q=<script>",
  "/orchestration",
  "/roles",
  "/throughput",
  "/debug",
  "/debug?view=webhooks",
  "/debug?view=errors",
  "/debug?view=denials",
  "/debug?view=lanes",
  `/debug?view=${encodeURIComponent(CORPUS[1]!)}`,
  "/evolution",
  `/job?id=${encodeURIComponent(CORPUS[0]!)}`,
  `/ticket?repo_id=r-harbor&id=${encodeURIComponent(CORPUS[2]!)}`,
  "/ticket?repo_id=r-harbor&id=T-0042&edit=text",
];

/** Runs in the page: what the policy stopped is told as a fault. */
const REPORTS = `addEventListener("securitypolicyviolation", (event) =>
  console.error("content security policy: " + event.violatedDirective + " " + event.sample))`;

/** Runs in the page: the text of choices counts, too. */
const SHOWN = `document.body.innerText.includes("alert(")`;

/** Runs in the page. */
const LOOK = `({
  links: [...document.querySelectorAll("a[href]")].map((link) => link.protocol ?? new URL(link.href.baseVal, location).protocol)
    .filter((protocol) => !/^https?:$/.test(protocol)),
  elements: document.querySelectorAll("#app script, #app iframe, #app img, #app style").length,
  unseen: /[\\u202e\\u0000]/.test(document.body.innerText),
})`;

Deno.test("hostile text in any field stays text: no dialog, no report, nothing loaded, no script link", async () => {
  await seeing({ wish: { reads: hostileReads() } }, async ({ page, site }) => {
    const elsewhere: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(site.url)) elsewhere.push(request.url());
    });
    await page.addInitScript(REPORTS);
    await logIn(page, site.url);
    for (const path of PAGES) {
      await page.goto(site.url + path);
      await page.locator(".fresh").waitFor();
      await unfold(page);
      site.happen("job_update", { text: CORPUS[0]! });
      // Some parts of a page are asked for after it is fresh.
      await until(() => page.evaluate<boolean>(SHOWN), () => `hostile text on ${path}`);
      const bad = await page.evaluate(LOOK);
      assert.deepEqual(bad, { links: [], elements: 0, unseen: false }, path);
    }
    assert.deepEqual(elsewhere, []);
  });
});
