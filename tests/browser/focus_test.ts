/** By keyboard alone: what was done leaves the focus where the next key goes on. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { cards, pipeline } from "tests/kit/browser_board.ts";
import { manyTickets, ticketShelf } from "tests/kit/browser_tickets.ts";
import { logIn, seeing } from "tests/kit/browser.ts";

/** Resolves once the element that has the focus is one of these. */
const onFocus = (page: Page, selector: string) =>
  page.locator(selector).and(page.locator(":focus")).waitFor();

const focusText = (page: Page): Promise<string> =>
  page.evaluate("document.activeElement.textContent");

Deno.test("whoever logs in is in the page", () =>
  seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    await onFocus(page, "#main");
  }));

Deno.test("a card that was settled gives the focus to the next one, and a notice to the page", () => {
  let settled = 0;
  const pipelineOf = () =>
    Promise.resolve({
      ...pipeline(Date.now()),
      cards: cards(Date.now()).slice(settled),
    });
  const decide = () => {
    settled = 1;
    return Promise.resolve({
      decision: "d-1",
      existed: false,
      said: "It is settled",
      undo: undefined,
    });
  };
  return seeing(
    { wish: { reads: { pipeline: pipelineOf }, decide } },
    async ({ page, site }) => {
      await logIn(page, site.url);
      await page.keyboard.press("j");
      assert.equal(await focusText(page), "Choose a currency library");
      await page.keyboard.press("2");
      const dialog = page.getByRole("dialog");
      await dialog.waitFor();
      await dialog.locator("button[type=submit]").press("Enter");
      await page.getByText("It is settled").waitFor();
      await page.getByText("Choose a currency library").waitFor({ state: "detached" });
      await onFocus(page, ".card a");
      assert.equal(await focusText(page), "Show the berth plan by day");
      await page.keyboard.press("j");
      assert.equal(await focusText(page), "Round half to even in the monthly statement");
      await page.getByRole("button", { name: "Dismiss" }).press("Enter");
      await onFocus(page, "#main");
    },
  );
});

Deno.test("a priority that was chosen is shown at once, and keeps the focus", () => {
  const shelf = ticketShelf(manyTickets(3));
  return seeing({ wish: { shelf } }, async ({ page, site }) => {
    await logIn(page, site.url, "/ticket?repo_id=r-harbor&id=T-0001");
    const choice = page.getByLabel("Priority");
    const before = await choice.inputValue();
    const [key, after] = before === "p3" ? ["ArrowUp", "p2"] : ["ArrowDown", `p${+before[1]! + 1}`];
    await page.evaluate(`globalThis.seen = [];
      new MutationObserver(() => seen.push(document.querySelector("select.small").value))
        .observe(document.body, { subtree: true, childList: true, attributes: true })`);
    await choice.focus();
    await page.keyboard.press(key!);
    await page.getByText(`T-0001 has priority ${after}.`).waitFor();
    await onFocus(page, "select.small");
    assert.equal(await choice.inputValue(), after);
    const seen: string[] = await page.evaluate("seen");
    assert.ok(!seen.includes(before), `${before} came back: ${seen}`);
    // What is refused is as it was.
    shelf.refuse("its repo takes no work now");
    await page.keyboard.press(key === "ArrowUp" ? "ArrowDown" : "ArrowUp");
    await page.getByText(/its repo takes no work now/).waitFor();
    await onFocus(page, "select.small");
    assert.equal(await choice.inputValue(), after);
  });
});

Deno.test("an edit begins in its first field, and its end leads back to the ticket", () => {
  const shelf = ticketShelf(manyTickets(3));
  return seeing({ wish: { shelf } }, async ({ page, site }) => {
    await logIn(page, site.url, "/ticket?repo_id=r-harbor&id=T-0001");
    await page.keyboard.press("e");
    await onFocus(page, ".editor input");
    await page.getByRole("button", { name: "Cancel" }).press("Enter");
    await onFocus(page, "#main");
    await page.keyboard.press("e");
    await onFocus(page, ".editor input");
  });
});
