/** Cards are settled where they stand: by keyboard and by mouse, on a phone, and without a connection. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { Failure } from "svc/core/failure.ts";
import { logIn, PHONE, seeing } from "tests/kit/browser.ts";
import { busyReads } from "tests/kit/browser_reads.ts";

const notice = (page: Page) => page.locator(".notice").last();
const dialog = (page: Page) => page.getByRole("dialog");
const SEEN = "c".repeat(40);
const MOVED = "d".repeat(40);

/** Moves to the card with the keys, as a person without a mouse does. */
async function toCard(page: Page, title: string, key: "j" | "k" = "j"): Promise<void> {
  for (let steps = 0; steps < 30; steps++) {
    await page.keyboard.press(key);
    const at = await page.evaluate<string>(
      "document.activeElement.closest('[data-item]')?.textContent ?? ''",
    );
    if (at.includes(title)) return;
  }
  throw new Error(`no card ${title}`);
}

const overflows = (page: Page) =>
  page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");

Deno.test("work is sent back by keyboard alone, with the diff in view, and that is taken back", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    await page.getByText("git stash push --include-untracked -- src/berth.ts notes.md").waitFor();
    await toCard(page, "Show the berth plan by day");
    await page.keyboard.press("2");
    await dialog(page).getByText("src/upload.ts").waitFor();
    const send = dialog(page).getByRole("button", { name: "Send back", exact: true });
    assert.equal(await send.isDisabled(), true, "nothing is said yet");
    await dialog(page).getByLabel("What is to be changed").focus();
    await page.keyboard.type("Show the tide too");
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });

    // What was typed is kept with the card.
    await toCard(page, "Choose a currency library", "k");
    await toCard(page, "Show the berth plan by day");
    await page.keyboard.press("2");
    const text = dialog(page).getByLabel("What is to be changed");
    assert.equal(await text.inputValue(), "Show the tide too");
    await send.focus();
    await page.keyboard.press("Enter");
    await notice(page).filter({ hasText: "send-back: done" }).waitFor();
    assert.deepEqual(site.asked, [`send-back r-harbor T-0031 ${SEEN} Show the tide too`]);
    await notice(page).getByRole("button", { name: "Undo" }).click();
    await page.locator(".notice").first().waitFor();
    await notice(page).filter({ hasText: "undo: done" }).waitFor();
    assert.equal(site.asked.at(-1), "undo d-1");
  });
});

Deno.test("what is typed right after the key of an action goes into its text, and Enter closes nothing", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    for (
      const [title, label] of [
        ["Choose a currency library", "Answer"],
        ["Round half to even", "What its next role should know (optional)"],
      ] as const
    ) {
      await toCard(page, title);
      await page.keyboard.press("1");
      const text = dialog(page).getByRole("textbox", { name: label });
      await text.waitFor();
      const focused = await page.evaluate("document.activeElement.tagName");
      assert.equal(focused, "TEXTAREA", title);
      await page.keyboard.type("one");
      await page.keyboard.press("Enter");
      await page.keyboard.type("two");
      assert.equal(await text.inputValue(), "one\ntwo", title);
      await page.keyboard.press("Escape");
      await dialog(page).waitFor({ state: "detached" });
    }
    await page.getByRole("button", { name: "Answer T-0029" }).click();
    await dialog(page).getByText("T-0029").waitFor();
  });
});

Deno.test("where there are several repos, a command is shown with the one that it is typed in", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    const card = page.locator(".card").filter({ hasText: "Show the berth plan by day" });
    await card.getByText("In a terminal, in the folder of harbor").waitFor();
    await card.getByRole("button", { name: "Send back" }).click();
    await dialog(page).getByText("In a terminal, in the folder of harbor:").waitFor();
    await page.keyboard.press("Escape");
    const dirty = page.locator(".card").filter({ hasText: "git stash push" });
    await dirty.getByText(/^In the folder of (?:harbor|ledger):$/).waitFor();
  });
});

Deno.test("what is approved is what was shown, though the branch moves on meanwhile", async () => {
  let commit = SEEN;
  const held = busyReads(Date.now);
  const reads = {
    review: async () => ({ ...await held.review({ repo_id: "", ticket_id: "" })!, commit }),
  };
  // deno-lint-ignore no-explicit-any -- the sample is always there
  await seeing({ wish: { reads: reads as any } }, async ({ page, site }) => {
    await logIn(page, site.url);
    await page.getByRole("button", { name: "Send back" }).first().click();
    // Not the line for a terminal, which is there before the diff.
    await dialog(page).locator(".review-about").getByText(SEEN.slice(0, 12)).waitFor();
    commit = MOVED;
    site.happen("job_update", { turn: 8 });
    await dialog(page).getByText("The branch has moved on since.").waitFor();
    await dialog(page).getByLabel("What is to be changed").fill("no");
    await dialog(page).getByRole("button", { name: "Send back", exact: true }).click();
    await notice(page).filter({ hasText: "send-back: done" }).waitFor();
    assert.deepEqual(site.asked, [`send-back r-harbor T-0031 ${SEEN} no`]);

    // What had moved before it was opened is shown as it is, and judged so in a terminal, too.
    await page.getByRole("button", { name: "Send back" }).first().click();
    const shown = dialog(page).locator(".review-about");
    await shown.getByText(MOVED.slice(0, 12)).waitFor();
    await dialog(page).getByText(`--commit ${MOVED}`).waitFor();
  });
});

Deno.test("an answer that is lost brings no second act, and a refusal takes nothing that was typed", async () => {
  let refuses = false;
  const decide = () => {
    if (!refuses) {
      return Promise.resolve({
        ...{ decision: "d-1", existed: false, said: "done", undo: undefined },
      });
    }
    const said =
      "Cannot unblock T-0007: it is settled already: Bob unblocked it, and T-0007 is backlog";
    throw new Failure("conflict", said);
  };
  await seeing({ wish: { decide } }, async ({ page, site }) => {
    await logIn(page, site.url);
    const open = () => page.getByRole("button", { name: /^Unblock/ }).click();
    const send = () => dialog(page).getByRole("button", { name: "Unblock", exact: true }).click();
    await page.route("**/api/unblock-ticket", async (route) => {
      await route.fetch();
      await route.abort();
    }, { times: 1 });
    await open();
    await dialog(page).getByLabel(/What its next role/).fill("the server runs");
    await send();
    await dialog(page).getByRole("alert").filter({ hasText: "What you typed is kept" }).waitFor();
    await send();
    await notice(page).filter({ hasText: "done" }).waitFor();
    assert.deepEqual(site.asked, ["unblock r-ledger T-0007 2026-11-21T10:00:00Z the server runs"]);

    refuses = true;
    const names: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/unblock-ticket")) names.push(request.postDataJSON().request);
    });
    await open();
    await dialog(page).getByLabel(/What its next role/).fill("again");
    await send();
    await dialog(page).getByRole("alert").filter({ hasText: "Bob unblocked it" }).waitFor();
    assert.equal(await dialog(page).getByLabel(/What its next role/).inputValue(), "again");
    refuses = false;
    await send();
    await notice(page).filter({ hasText: "done" }).waitFor();
    assert.equal(new Set(names).size, 2, "what was refused under a name is asked under another");
  });
});

Deno.test("on a phone a card is settled within the width of the screen", async () => {
  await seeing(
    { options: { viewport: PHONE, hasTouch: true, colorScheme: "dark" } },
    async ({ page, site }) => {
      await logIn(page, site.url);
      assert.ok(await overflows(page) <= 0, "the page");
      await page.getByRole("button", { name: /Another role or model/ }).last().click();
      await dialog(page).getByLabel(/^Role/).selectOption("gardener");
      await dialog(page).getByLabel(/^Model/).selectOption({ index: 1 });
      assert.ok(await overflows(page) <= 0, "the dialog");
      await dialog(page).getByRole("button", { name: "Another role or model", exact: true })
        .click();
      await notice(page).filter({ hasText: "assign: done" }).waitFor();
      assert.deepEqual(site.asked, [
        "assign r-ledger T-0007 2026-11-21T10:00:00Z gardener http://127.0.0.1:11434/v1#qwen3-coder:30b",
      ]);
    },
  );
});

Deno.test("a command is copied, and selected where the browser lets no page copy", async () => {
  await seeing({}, async ({ page, site }) => {
    // As the browsers do where it is forbidden.
    await page.addInitScript(`globalThis.forbids = false;
      navigator.clipboard.writeText = (text) => forbids
        ? Promise.reject(new DOMException("no", "NotAllowedError"))
        : Promise.resolve(globalThis.copied = text)`);
    await logIn(page, site.url);
    const command = "git stash push --include-untracked -- src/berth.ts notes.md";
    const copied = page.locator(".copied").filter({ hasText: command });
    await copied.getByRole("button").click();
    await copied.getByRole("button", { name: /: copied$/ }).waitFor();
    assert.equal(await page.evaluate("copied"), command);
    await page.evaluate("forbids = true");
    await copied.getByRole("button").click();
    await copied.getByText("This browser lets no page copy.").waitFor();
    assert.equal(await page.evaluate("String(getSelection())"), command);
  });
});
