/** All tickets as board and list: found, written, edited and moved, by mouse, by keyboard alone, and on a phone. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { logIn, PHONE, seeing } from "tests/kit/browser.ts";
import { SECRET } from "tests/kit/browser_site.ts";
import { manyTickets, ticketShelf } from "tests/kit/browser_tickets.ts";
import { until } from "tests/kit/until.ts";
import { verifies } from "tests/kit/verifies.ts";

const column = (page: Page, state: string) => page.locator(`[data-state="${state}"]`);
const card = (page: Page, id: string) => page.locator(".ticket-card").filter({ hasText: id });
const dialog = (page: Page, name: string) => page.getByRole("dialog", { name });
const notice = (page: Page, text: string | RegExp) =>
  page.locator(".notice").filter({ hasText: text }).last().waitFor();
const stateOf = (shelf: ReturnType<typeof ticketShelf>, id: string) =>
  shelf.files.get(id)!.ticket.state;

async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator(".fresh").waitFor();
}

const FEW = [
  { title: "Mend the pump" },
  { title: "Paint the crane", state: "review" },
  { title: "Dredge the basin", state: "blocked" },
  { title: "Count the ships", state: "done" },
] as const;

verifies(
  ["3.1:ticket-location:closed-list", "4.3:mutation:failure-body"],
  "the mouse drags a ticket to another state, says what the move needs, and sees what git refuses",
  async () => {
    const shelf = ticketShelf(FEW);
    await seeing({ wish: { shelf } }, async ({ page, site }) => {
      await logIn(page, site.url);
      await page.getByRole("link", { name: "Tickets", exact: true }).click();
      await column(page, "backlog").waitFor();
      assert.deepEqual(
        (await page.locator(".column h2").allInnerTexts()).map((text) => text.split(/\s+/)),
        [
          ...[["backlog", "1"], ["in-progress", "0"], ["review", "1"]],
          ...[["blocked", "1"], ["done", "1"]],
        ],
      );
      await card(page, "T-0001").dragTo(column(page, "in-progress"));
      const move = dialog(page, "Move T-0001");
      assert.equal(await move.getByRole("radio", { name: /^in-progress/ }).isChecked(), true);
      await move.getByLabel(/^Why/).fill("the pump is here");
      shelf.refuse("Cannot move T-0001: main is checked out with changes");
      await move.getByRole("button", { name: "Move it" }).click();
      await move.getByText("main is checked out with changes").waitFor();
      shelf.refuse(undefined);
      await move.getByRole("button", { name: "Move it" }).click();
      await notice(page, "T-0001 moved from backlog to in-progress.");
      await column(page, "in-progress").getByText("Mend the pump").waitFor();
      assert.match(shelf.files.get("T-0001")!.text, /backlog → in-progress: the pump is here/);

      // No move leads there: the drop does nothing.
      await card(page, "T-0002").dragTo(column(page, "blocked").locator(".column-head"));
      await dialog(page, "Move T-0002").getByLabel("Who can unblock it").fill("ada");
      await page.keyboard.press("Escape");
      await dialog(page, "Move T-0002").waitFor({ state: "detached" });
      await card(page, "T-0004").dragTo(column(page, "backlog"));
      assert.equal(await page.getByRole("dialog").count(), 0);
      assert.equal(stateOf(shelf, "T-0004"), "done");
    });
  },
);

verifies(
  ["3.1:ticket-location:closed-list"],
  "the keyboard alone picks a ticket up, carries it, leaves it, drops it, writes and edits one",
  async () => {
    const shelf = ticketShelf(FEW);
    await seeing({ wish: { shelf } }, async ({ page, site }) => {
      const said = (text: string | RegExp) =>
        page.locator('[role="status"]').filter({ hasText: text }).waitFor();
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key);
      };
      const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
      await logIn(page, site.url);
      await press("g", "k");
      await card(page, "T-0002").waitFor();
      await press("j", "j", "Tab");
      assert.equal(await focused(), "Move T-0002");
      await press("Space");
      await said(/^T-0002 is picked up from review, column 3 of 5/);
      await press("ArrowRight");
      await said("blocked, column 4 of 5");
      await press("Escape");
      await said("T-0002 stays in review.");
      await press("Enter", "ArrowRight", "ArrowRight", "Space");
      const move = dialog(page, "Move T-0002");
      await move.waitFor();
      await press("Escape");
      await move.waitFor({ state: "detached" });
      await press("Space", "Home");
      await said("backlog, column 1 of 5");
      await press("Enter");
      await move.waitFor();
      await press("Tab");
      await page.keyboard.type("not yet");
      await press("Enter");
      await notice(page, "T-0002 moved from review to backlog.");
      await column(page, "backlog").getByText("Paint the crane").waitFor();
      // It is drawn anew there, and keeps the focus.
      const moved = "document.activeElement.closest('[data-state=backlog]') !== null";
      await until(() => page.evaluate<boolean>(moved), () => "a focus that stays behind");
      assert.equal(await focused(), "Move T-0002");
      await press("Space", "End");
      await said(/^done, column 5 of 5: not from here, backlog leads to in-progress$/);
      await press("Enter");
      await said(/cannot go to done.*still picked up/);
      await press("Escape");

      // A blocked one needs to hear that it has happened.
      await card(page, "T-0003").locator(".grip").focus();
      await press("m");
      const unblock = dialog(page, "Move T-0003");
      await unblock.getByText("ada: renew the key").waitFor();
      const done = unblock.getByRole("button", { name: "Move it" });
      assert.equal(await done.isDisabled(), true);
      await press("Tab", "Space", "Tab", "Enter");
      await notice(page, "T-0003 moved from blocked to backlog.");

      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await press("n");
      const sheet = dialog(page, "New ticket");
      await sheet.waitFor();
      await page.keyboard.type("Sound the horn");
      await sheet.getByLabel("Repo").selectOption("harbor");
      await sheet.getByLabel("Template").selectOption("bug");
      assert.equal(await sheet.getByLabel("Role").inputValue(), "qa");
      const roles = asked.filter((url) => url.includes("/api/repo-roles"));
      assert.notEqual(roles.length, 0);
      assert.ok(roles.every((url) => /repo_id=[\w-]+$/.test(url)), `for a repo: ${roles}`);
      assert.equal(await sheet.getByLabel("Title").inputValue(), "Sound the horn");
      await press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
      await press("n");
      assert.equal(await sheet.getByLabel("Title").inputValue(), "Sound the horn", "it is kept");
      const names: string[] = [];
      await page.route("**/api/create-ticket", async (route) => {
        names.push(route.request().postDataJSON().request);
        await (names.length === 1 ? route.abort() : route.continue());
      });
      await sheet.getByLabel("Title").focus();
      await press("Enter");
      await sheet.getByText("The service does not answer").waitFor();
      await press("Enter");
      await notice(page, "T-0005 is written.");
      assert.match(names[0]!, /^[\w-]{36}$/);
      assert.deepEqual(names, [names[0], names[0]], "a second try is known as one");
      assert.match(shelf.files.get("T-0005")!.text, /type: bug[^]*What happens/);

      await press("g", "k");
      await page.getByRole("link", { name: "Sound the horn" }).focus();
      await press("Enter");
      await page.getByRole("heading", { level: 1, name: "Sound the horn" }).waitFor();
      await press("e");
      await page.getByLabel("Title").fill("Sound the horn twice");
      await page.getByLabel("Depends on").fill("T-0001, T-0003");
      await press("Enter");
      await notice(page, "T-0005 is saved.");
      await page.getByRole("heading", { level: 1, name: "Sound the horn twice" }).waitFor();
      assert.deepEqual(shelf.files.get("T-0005")!.ticket.depends_on, ["T-0001", "T-0003"]);
      await page.getByLabel("Priority").selectOption("p0");
      await notice(page, "T-0005 has priority p0.");
    });
  },
);

verifies(
  ["3.1:ticket-location:closed-list"],
  "a ticket that is picked up again before the page is painted stays in the hand; its dialog opens as another closes",
  async () => {
    const shelf = ticketShelf(FEW);
    await seeing({ wish: { shelf } }, async ({ page, site }) => {
      await logIn(page, site.url, "/tickets");
      await card(page, "T-0002").locator(".grip").focus();
      // Between two keys passes no more time than so many microtasks; the browser has to tell yet that the
      // last dialog closed.
      for (const turns of [0, 1, 50]) {
        await page.evaluate(`(async () => {
          document.querySelector("dialog")?.close();
          const grip = document.activeElement;
          for (const key of ["Enter", "ArrowRight", "Escape", "Enter", "ArrowRight", "Enter"]) {
            grip.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
            for (let turn = 0; turn < ${turns}; turn++) await undefined;
          }
        })()`);
        await dialog(page, "Move T-0002").getByRole("radio", { name: /^blocked/, checked: true })
          .waitFor();
        await page.evaluate("new Promise(requestAnimationFrame)");
        assert.equal(await page.getByRole("dialog").count(), 1);
      }
    });
  },
);

verifies(
  ["2.1:tickets:state-directories", "4.3:mutation:failure-body"],
  "two who edit one ticket see both texts; nothing typed is lost, whatever happens meanwhile",
  async () => {
    const shelf = ticketShelf([{ title: "Mend the pump", context: "It drips." }]);
    await seeing({ wish: { shelf } }, async ({ page, site }) => {
      await logIn(page, site.url);
      const edit = `${site.url}/ticket?repo_id=r-harbor&id=T-0001&edit=text`;
      await open(page, edit);
      const file = page.getByLabel("The file of T-0001");
      const text = await file.inputValue();
      await file.fill(text.replace("It drips.", "It drips at night."));
      shelf.write("T-0001", text.replace("It drips.", "It pours.").replace("p2", "p1"));
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The ticket was changed while you wrote.").waitFor();
      assert.match(await page.locator(".both").innerText(), /It drips at night[^]*It pours/);
      const together = page.getByLabel("Together");
      assert.match(await together.inputValue(), /priority: p1/);
      const save = page.getByRole("button", { name: "Save what is together" });
      assert.equal(await save.isDisabled(), true, "a place is open");
      const merged = (await together.inputValue())
        .replace(/<<<<<<< [^]*>>>>>>> .*\n/, "It pours at night.\n");
      await together.fill(merged);

      // The service is away while it is saved: what was typed stays, and is saved later.
      await page.context().setOffline(true);
      await save.click();
      await page.getByText("The service does not answer").waitFor();
      await page.context().setOffline(false);
      await page.getByText("Connection lost.").waitFor({ state: "detached" });
      assert.equal(await file.inputValue(), merged);
      await page.getByRole("button", { name: "Save" }).click();
      await notice(page, "T-0001 is saved.");
      assert.equal(shelf.files.get("T-0001")!.text, merged);

      // Fields: what the other did not touch is saved on top; else each is chosen.
      await open(page, edit.replace("text", "fields"));
      await page.getByLabel("Title").fill("Mend both pumps");
      await page.getByLabel("Priority").selectOption("p0");
      shelf.write("T-0001", merged.replace("priority: p1", "priority: p3"));
      await page.getByRole("button", { name: "Save" }).click();
      const choice = page.getByRole("group", { name: "Priority" });
      await choice.getByRole("radio", { name: /In the repo now p3/ }).check();
      await page.getByRole("button", { name: "Save" }).click();
      await notice(page, "T-0001 is saved.");
      const { title, priority } = shelf.files.get("T-0001")!.ticket;
      assert.deepEqual([title, priority], ["Mend both pumps", "p3"]);

      // A reload asks first, and an ended session gives it back.
      await page.getByRole("link", { name: "Edit" }).click();
      await page.getByLabel("Title").click();
      await page.keyboard.type("!");
      const asked = page.waitForEvent("dialog");
      void page.evaluate("location.reload()").catch(() => {});
      assert.equal((await asked).type(), "beforeunload");
      await page.context().clearCookies();
      // The page may notice it by itself before, and shows another form.
      await page.getByRole("button", { name: "Save" }).click({ timeout: 2_000 }).catch(() => {});
      await page.getByText("Your session has ended.").waitFor();
      await page.getByLabel("Control secret").fill(SECRET);
      await page.keyboard.press("Enter");
      assert.equal(await page.getByLabel("Title").inputValue(), "Mend both pumps!");
      await page.getByRole("button", { name: "Save" }).click();
      await notice(page, "T-0001 is saved.");
    });
  },
);

verifies(
  ["4.2:pipeline:page"],
  "a search finds among all of 5,000 tickets, also from the pipeline; filters stay in the address",
  async () => {
    const shelf = ticketShelf([
      ...manyTickets(4_999),
      { title: "Grease the hinge", context: "The word zanzibar stands here alone.", state: "done" },
    ]);
    await seeing({ wish: { shelf } }, async ({ page, site }) => {
      await logIn(page, site.url);
      await page.getByRole("searchbox").fill("zanzibar");
      await page.getByRole("link", { name: /^Search all tickets for/ }).click();
      await page.locator(".excerpt", { hasText: "The word zanzibar stands here alone." }).waitFor();
      assert.equal(await page.locator(".excerpt mark").innerText(), "zanzibar");
      assert.equal(await page.locator(".ticket-row:not(.ticket-heads)").count(), 1);

      await page.getByRole("searchbox").fill("");
      await page.getByText("100 of 5000 tickets loaded").waitFor();
      await page.getByLabel("State").selectOption("blocked");
      await page.getByLabel("Priority").selectOption("p0");
      await page.locator(".ticket-heads").getByRole("link", { name: "Title" }).click();
      await page.waitForURL(/state=blocked&priority=p0&sort=title/);
      await page.reload();
      await page.locator(".ticket-row .chip").first().waitFor();
      assert.equal(await page.getByLabel("Priority").inputValue(), "p0");
      const states = await page.locator(".ticket-row .chip").allInnerTexts();
      assert.deepEqual([...new Set(states)], ["blocked"]);
      await page.locator(".ticket-name a").first().click();
      await page.getByRole("heading", { level: 2, name: "Done when" }).waitFor();
      await page.goBack();
      assert.equal(await page.getByLabel("State").inputValue(), "blocked");

      await open(page, `${site.url}/tickets?view=list&sort=id`);
      for (let pages = 1; pages < 4; pages++) {
        await page.getByText(`${pages}00 of 5000 tickets loaded`).waitFor();
        await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      }
      await page.getByText("400 of 5000 tickets loaded").waitFor();
      assert.ok(await page.locator(".rows > li").count() < 100, "a window of them is drawn");
      await page.getByRole("link", { name: "Board", exact: true }).click();
      await column(page, "done").getByRole("button", { name: / more/ }).click();
      const cards = page.locator("[data-state=done] .ticket-card");
      await cards.nth(79).waitFor();
      assert.equal(await cards.count(), 80);
    });
  },
);

Deno.test("on a phone a tap moves a ticket, and neither board nor dialogs are wider than the screen", async () => {
  const shelf = ticketShelf(manyTickets(30));
  const options = { viewport: PHONE, hasTouch: true, colorScheme: "dark" } as const;
  await seeing({ wish: { shelf }, options }, async ({ page, site }) => {
    const fits = async (what: string) =>
      assert.equal(
        await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
        0,
        what,
      );
    await logIn(page, site.url);
    await open(page, `${site.url}/tickets`);
    await fits("board");
    const first = column(page, "backlog").locator(".grip").first();
    const id = (await first.getAttribute("aria-label"))!.replace("Move ", "");
    await first.tap();
    await fits("move");
    await dialog(page, `Move ${id}`).getByRole("button", { name: "Move it" }).tap();
    await notice(page, `${id} moved from backlog to in-progress.`);
    for (
      const path of ["tickets?view=list&q=berth", `ticket?repo_id=r-harbor&id=${id}&edit=text`]
    ) {
      await open(page, `${site.url}/${path}`);
      await fits(path);
    }
  });
});
