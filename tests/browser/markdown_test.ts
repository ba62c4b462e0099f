/** The text of a ticket as its page shows it: what was written stays to be read. */
import assert from "node:assert/strict";
import { ticketPage } from "tests/kit/browser_pages.ts";
import { logIn, seeing } from "tests/kit/browser.ts";

const BODY = `## Context

Steps to see it:

1. open the gate
2. wait
- then look

\\# quoted
\\~~~ quoted too

~~~sh
\`\`\` is no end
# no heading
~~~

After it.
`;

Deno.test("a ticket's text keeps its numbers, its code, and what svc has quoted", async () => {
  const reads = { ticket: () => Promise.resolve(ticketPage(Date.now(), { body: BODY })) };
  await seeing({ wish: { reads } }, async ({ page, site }) => {
    await logIn(page, site.url, "/ticket?repo_id=r-harbor&id=T-0042");
    const prose = page.locator(".prose");
    assert.deepEqual(await prose.locator("li").allInnerTexts(), [
      "1. open the gate",
      "2. wait",
      "then look",
    ]);
    assert.deepEqual(await prose.locator("p").allInnerTexts(), [
      "Steps to see it:",
      "# quoted\n~~~ quoted too",
      "After it.",
    ]);
    assert.deepEqual(await prose.locator("pre").allInnerTexts(), ["``` is no end\n# no heading"]);
  });
});
