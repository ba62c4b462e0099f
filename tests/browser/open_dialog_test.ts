/** A dialog that is open while the session ends or the service is away: nothing stands in the way, nothing is lost. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { card, pipeline, QUESTION } from "tests/kit/browser_board.ts";
import { job } from "tests/kit/browser_facts.ts";
import { jobPage } from "tests/kit/browser_pages.ts";
import { logIn, seeing } from "tests/kit/browser.ts";
import { SECRET } from "tests/kit/browser_site.ts";

const TICKET = "/ticket?repo_id=r-harbor&id=T-0042";

async function logInAgain(page: Page): Promise<void> {
  await page.getByLabel("Control secret").fill(SECRET);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Log out" }).waitFor();
}

async function typeWhy(page: Page): Promise<void> {
  await page.keyboard.press("m");
  await page.getByLabel("Why (kept as evidence)").fill("It waits for the tide");
}

Deno.test("when the session ends, the login is before the dialog, which comes back after it", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url, TICKET);
    await typeWhy(page);
    await page.context().clearCookies();
    await page.getByRole("radio", { name: /backlog/ }).check();
    await page.getByRole("button", { name: "Move it" }).click();
    await page.getByText("Your session has ended.").waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    assert.equal(await page.evaluate("document.activeElement.name"), "secret");
    await logInAgain(page);
    const why = page.getByLabel("Why (kept as evidence)");
    assert.equal(await why.inputValue(), "It waits for the tide");
  });
});

Deno.test("who logs out leaves nothing of what was typed into dialogs", async () => {
  const running = job(Date.now(), { status: "running", disposition: null, finished_at: null });
  const reads = { job: () => Promise.resolve(jobPage(Date.now(), { job: running })) };
  await seeing({ wish: { reads } }, async ({ page, site }) => {
    await logIn(page, site.url, `/job?id=${running.id}`);
    const tell = page.getByRole("button", { name: "Tell it something" });
    await tell.click();
    await page.getByLabel("Note").fill("Mind the tide");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("You are logged out.").waitFor();
    await logInAgain(page);
    await tell.click();
    assert.equal(await page.getByLabel("Note").inputValue(), "");
  });
});

Deno.test("where no answer comes, the dialog calls it no refusal, and says that it may be done", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    await page.keyboard.press("p");
    await page.context().setOffline(true);
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    const said = page.getByRole("dialog").getByRole("alert");
    await said.waitFor();
    assert.equal(
      (await said.innerText()).trim(),
      "The service does not answer. It may have been done all the same: look before you ask again",
    );
  });
});

Deno.test("the browser asks before a reload forgets what is typed in an open dialog", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url, TICKET);
    await typeWhy(page);
    const asked = page.waitForEvent("dialog", { timeout: 20_000 });
    await page.evaluate("setTimeout(() => location.reload())");
    assert.equal((await asked).type(), "beforeunload");
    const why = page.getByLabel("Why (kept as evidence)");
    assert.equal(await why.inputValue(), "It waits for the tide");
  });
});

Deno.test("what is done after its dialog was left closes no other one", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    await page.route("**/api/pause", async (route) => {
      reached.resolve();
      await released.promise;
      await route.continue();
    });
    await page.keyboard.press("p");
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await reached.promise;
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("n");
    const title = page.getByRole("dialog", { name: "New ticket" }).getByLabel("Title");
    await title.fill("Sound the horn");
    released.resolve();
    await page.locator(".notice").filter({ hasText: "Paused." }).waitFor();
    assert.equal(await title.inputValue(), "Sound the horn");
  });
});

Deno.test("what is typed for a ticket of one repo does not stand in the answer to its namesake", async () => {
  const asks = (repo: string) =>
    card(Date.now(), {
      ...{ key: repo, zone: "needs_you", repo_id: `r-${repo}`, repo, ticket_id: "T-0029" },
      ...{ title: `A library for ${repo}`, job_id: null, question: QUESTION },
    });
  const reads = {
    pipeline: () =>
      Promise.resolve(pipeline(Date.now(), { cards: ["harbor", "ledger"].map(asks) })),
  };
  await seeing({ wish: { reads } }, async ({ page, site }) => {
    await logIn(page, site.url);
    const answerOf = async (repo: string) => {
      const own = page.locator(".card").filter({ hasText: `A library for ${repo}` });
      await own.getByRole("button", { name: "Answer T-0029" }).click();
      return page.getByRole("dialog").getByLabel("Answer");
    };
    await (await answerOf("harbor")).fill("dinero.js");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await (await answerOf("ledger")).inputValue(), "");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await (await answerOf("harbor")).inputValue(), "dinero.js");
  });
});
