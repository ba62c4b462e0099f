/** Diffs as pages show them: each line with its colour, however many there are. */
import assert from "node:assert/strict";
import { jobPage } from "tests/kit/browser_pages.ts";
import { logIn, seeing } from "tests/kit/browser.ts";

const LINES = 20_000;

/** As a lock file that came, and one that went. */
const LONG = `diff --git a/new.lock b/new.lock
--- /dev/null
+++ b/new.lock
@@ -0,0 +1,${LINES} @@
${Array.from({ length: LINES }, (_, nth) => `+line ${nth}`).join("\n")}
diff --git a/main.ts b/main.ts
--- a/main.ts
+++ b/main.ts
@@ -1,4 +1,4 @@
 first
-second
-third
+2nd

 fourth
`;

Deno.test("a diff of 20,000 lines is shown whole, with few elements, and is not drawn again at each event", async () => {
  let turn = 7;
  const reads = {
    job: () => {
      const { job } = jobPage(Date.now());
      return Promise.resolve(
        jobPage(Date.now(), { diff: LONG, job: { ...job, reason: `turn ${turn}` } }),
      );
    },
  };
  await seeing({ wish: { reads } }, async ({ page, site }) => {
    await logIn(page, site.url, "/job?id=j-1&view=changes");
    const pieces = page.locator(".diff pre span");
    await pieces.first().waitFor();
    const short = page.locator(".diff pre").nth(1).locator("span");
    const seen = await short.evaluateAll((all) =>
      all.map((one) => [one.className, one.textContent])
    );
    assert.deepEqual(seen, [
      ["hunk", "@@ -1,4 +1,4 @@\n"],
      ["", " first\n"],
      ["minus", "-second\n-third\n"],
      ["plus", "+2nd\n"],
      ["", "\n fourth\n"],
    ]);
    const long = await page.locator(".diff pre").first().locator("span").last().textContent();
    assert.equal(long?.split("\n").length, LINES + 1);
    assert.ok(await pieces.count() < 10);

    // What is drawn again is split into its files first.
    await page.evaluate(`{
      const { split } = String.prototype;
      globalThis.diffs = 0;
      String.prototype.split = function (...given) {
        if (String(given[0]).includes("diff --git")) diffs++;
        return split.apply(this, given);
      };
    }`);
    turn = 8;
    site.happen("job_update", { id: "j-1", turn });
    await page.getByText("turn 8", { exact: true }).waitFor();
    assert.equal(await page.evaluate("diffs"), 0);
  });
});
