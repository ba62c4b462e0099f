/** Notifications of the desktop: asked for by a person, of a ticket's id and title alone, off by the same switch. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { STREAMS_PER_SESSION } from "svc/core/bounds.ts";
import { AxeBuilder } from "@axe-core/playwright";
import type { Card } from "svc/runtime/views/card.ts";
import { pipeline } from "tests/kit/browser_board.ts";
import { hide, logIn, PHONE, seeing } from "tests/kit/browser.ts";
import { until } from "tests/kit/until.ts";

/** In place of the desktop, which a machine of tests has not; `answer` is what its person says when asked. */
const DESKTOP = (answer: string, before = "default") =>
  `globalThis.asked = 0; globalThis.shown = [];
   globalThis.Notification = class {
     static permission = sessionStorage.getItem("leave") ?? "${before}";
     static requestPermission() {
       globalThis.asked++;
       sessionStorage.setItem("leave", "${answer}");
       return Promise.resolve(this.permission = "${answer}");
     }
     constructor(title, { body, tag, icon }) { globalThis.shown.push({ title, body, tag, icon }); }
     close() {}
   };`;

const shown = (page: Page) => page.evaluate<{ title: string; body: string }[]>("globalThis.shown");

/** A function, since the page lets no text be evaluated. */
const toldOf = (page: Page, count: number) =>
  page.waitForFunction((wanted) => Reflect.get(globalThis, "shown").length === wanted, count);

function board() {
  const extra: Card[] = [];
  const base = pipeline(Date.now());
  const [sample] = base.cards;
  return {
    add: (more: Partial<Card>) => void extra.push({ ...sample!, zone: "needs_you", ...more }),
    read: () => Promise.resolve({ ...pipeline(Date.now()), cards: [...base.cards, ...extra] }),
  };
}

const SECRET_WORDS = "the role wrote sk-not-to-be-shown here";

Deno.test("the desktop tells of a ticket that newly needs the person, once the person asked for it", async () => {
  const { add, read } = board();
  await seeing({ wish: { reads: { pipeline: read } } }, async ({ page, site }) => {
    await page.addInitScript(DESKTOP("granted"));
    await logIn(page, site.url);
    assert.equal(await page.evaluate("globalThis.asked"), 0, "nothing is asked by itself");
    const toggle = page.getByRole("button", { name: "Notify me" });
    assert.equal(await toggle.getAttribute("aria-pressed"), "false");
    await toggle.press("Enter");
    const on = page.getByRole("button", { name: "Notifications on" });
    assert.equal(await on.getAttribute("aria-pressed"), "true");
    assert.equal(await page.evaluate("globalThis.asked"), 1);
    // It goes on from any page.
    await page.getByRole("link", { name: "Roles", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Role Health" }).waitFor();
    add({
      ...{ key: "ticket:r-harbor:T-0077", ticket_id: "T-0077", title: "Moor the ferry" },
      ...{ why: SECRET_WORDS, action: SECRET_WORDS },
    });
    site.happen("ticket_update", {});
    await toldOf(page, 1);
    add({ key: "lane:role:x", ticket_id: null, title: SECRET_WORDS, why: SECRET_WORDS });
    site.happen("status_change", {});
    await toldOf(page, 2);
    const told = await shown(page);
    assert.deepEqual(told.map(({ title, body }) => [title, body]), [
      ["svc: T-0077 needs you", "Moor the ferry"],
      ["svc needs you", ""],
    ]);
    assert.doesNotMatch(JSON.stringify(told), /sk-not|role wrote/);

    // Kept over a reload; what is there then is not new. The same switch turns it off.
    await page.goto(`${site.url}/pipeline`);
    await on.waitFor();
    assert.deepEqual(await shown(page), []);
    await on.click();
    await toggle.waitFor();
    add({ key: "ticket:r-harbor:T-0078", ticket_id: "T-0078", title: "Paint the buoy" });
    site.happen("ticket_update", {});
    await page.getByText("Paint the buoy").waitFor();
    assert.deepEqual(await shown(page), []);
  });
});

Deno.test("a browser that is told no is not asked again; on a phone and in the dark the switch fits", async () => {
  await seeing({
    options: { viewport: PHONE, hasTouch: true, colorScheme: "dark" },
  }, async ({ page, site }) => {
    await page.addInitScript(DESKTOP("denied"));
    await logIn(page, site.url);
    await page.getByRole("button", { name: "Notify me" }).click();
    const blocked = page.getByRole("button", { name: "Notifications blocked" });
    await blocked.waitFor();
    assert.equal(await blocked.isDisabled(), true);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), PHONE.width);
    const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
    assert.deepEqual(
      violations.filter(({ impact }) => impact === "serious" || impact === "critical"),
      [],
    );
  });
});

const streamOf = (page: Page) =>
  page.waitForResponse((answer) => answer.url().endsWith("/api/events") && answer.status() === 200);

Deno.test("of many hidden pages one follows on for the desktop, another when that is closed, and one in sight is live", async () => {
  const { add, read } = board();
  await seeing({ wish: { reads: { pipeline: read } } }, async ({ page, site }) => {
    await logIn(page, site.url);
    page.context().setDefaultTimeout(180_000); // a bound, as that of the first page
    const hidden: Page[] = [];
    while (hidden.length < STREAMS_PER_SESSION) hidden.push(await page.context().newPage());
    await page.close();
    for (const one of hidden) {
      await one.clock.install();
      await one.addInitScript(DESKTOP("granted", "granted"));
      await one.addInitScript("localStorage.setItem('svc.notify', 'on')");
      const live = streamOf(one);
      await one.goto(`${site.url}/pipeline`);
      await one.getByRole("button", { name: "Notifications on" }).waitFor();
      await live;
    }
    for (const one of hidden) await hide(one);
    const inSight = await hidden[0]!.context().newPage();
    const live = streamOf(inSight);
    await inSight.goto(`${site.url}/roles`);
    await live;

    const told = async (by: readonly Page[]) =>
      (await Promise.all(by.map(shown))).map(({ length }) => length);
    const some = (by: readonly Page[]) => async () => (await told(by)).some((count) => count > 0);
    add({ key: "ticket:r-harbor:T-0077", ticket_id: "T-0077", title: "Moor the ferry" });
    site.happen("ticket_update", {});
    await until(some(hidden), () => "a notification");
    const counts = await told(hidden);
    assert.deepEqual(counts.toSorted(), [0, 0, 0, 1]);

    const teller = hidden[counts.indexOf(1)]!;
    const others = hidden.filter((one) => one !== teller);
    await teller.close();
    add({ key: "ticket:r-harbor:T-0078", ticket_id: "T-0078", title: "Paint the buoy" });
    site.happen("ticket_update", {});
    await until(some(others), () => "a notification by another page");
  });
});

Deno.test("a page that is opened in the background gives its stream back, too", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    const behind = await page.context().newPage();
    await behind.clock.install({ time: 0 });
    await behind.clock.pauseAt(1_000);
    await behind.addInitScript(
      "Object.defineProperty(document, 'visibilityState', { value: 'hidden' })",
    );
    const live = streamOf(behind);
    await behind.goto(`${site.url}/roles`);
    await live;
    const over = behind.waitForEvent("requestfailed", (one) => one.url().endsWith("/api/events"));
    await behind.clock.fastForward(31_000); // a silent stream is given up later
    await over;
  });
});
