/** The way of a person through the dashboard: log in, watch, pause, run, be refused, lose it, leave. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "tests/kit/until.ts";
import { STREAMS_PER_SESSION } from "svc/core/bounds.ts";
import { cards, pipeline } from "tests/kit/browser_board.ts";
import { logIn, seeing } from "tests/kit/browser.ts";
import { browserSite, SECRET } from "tests/kit/browser_site.ts";
import { freePort } from "tests/kit/free_port.ts";

const notice = (page: Page) => page.locator(".notice").last();
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

async function runRole(page: Page, role: string): Promise<void> {
  await page.keyboard.press("r");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Repo").selectOption({ label: "harbor" });
  await dialog.getByLabel("Role").selectOption(role);
  await dialog.getByRole("button", { name: "Run role" }).click();
}

/** One job moves on. */
const atTurn = (turn: () => number) => ({
  pipeline: () => {
    const now = Date.now();
    const all = cards(now).map((one) => one.key === "T-0042" ? { ...one, turn: turn() } : one);
    return Promise.resolve(pipeline(now, { cards: all }));
  },
});

Deno.test("a person logs in, watches a job, pauses, runs a role, is refused, loses the service and logs out", async () => {
  let turn = 7;
  const reads = atTurn(() => turn);
  await seeing({ wish: { reads, port: freePort() } }, async ({ page, site }) => {
    // What was asked for before the login is what is shown after it.
    await page.goto(`${site.url}/roles?q=gardener`);
    await heading(page, "Log in").waitFor();
    await page.getByLabel("Control secret").fill("not the secret");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "wrong secret" }).waitFor();
    await page.getByLabel("Control secret").fill(SECRET);
    await page.keyboard.press("Enter");
    await page.locator(".role-row").filter({ hasText: "gardener" }).waitFor();
    assert.equal(await page.locator(".role-row").count(), 1);

    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await page.getByText("turn 7 of 50").waitFor();
    turn = 8;
    site.happen("job_update", { turn });
    await page.getByText("turn 8 of 50").waitFor();

    await page.keyboard.press("p");
    await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
    await notice(page).filter({ hasText: "Paused." }).waitFor();
    await page.locator(".pulse.paused").waitFor();
    assert.ok(site.paused());

    await runRole(page, "qa");
    await notice(page).filter({ hasText: "qa is queued." }).waitFor();
    assert.deepEqual(site.asked, ["pause paused from the dashboard", "run-role r-harbor qa"]);

    await runRole(page, "gardener");
    const refusal = page.getByRole("dialog").getByRole("alert");
    await refusal.filter({ hasText: "its lane is held back after 3 failures" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    const { port } = new URL(site.url);
    await site.stop();
    await page.getByText("Connection lost.").waitFor();
    await page.getByText("Not connected").waitFor();
    await page.getByText("Last seen: engineer works on it").waitFor();
    assert.equal(await page.getByText("was running", { exact: true }).count(), 1);
    assert.equal(await page.getByText("running", { exact: true }).count(), 0);

    // Sessions are of one process: after its return the service asks who is there.
    await using _returned = browserSite({ port: Number(port), reads });
    const ended = page.getByText("Your session has ended.");
    // The page looks again by itself as well, and may be first: then the button is gone.
    await Promise.any([page.getByRole("button", { name: "Try now" }).click(), ended.waitFor()]);
    await ended.waitFor();
    await page.getByLabel("Control secret").fill(SECRET);
    await page.keyboard.press("Enter");
    await heading(page, "Pipeline Flow").waitFor();
    await page.getByText("turn 8 of 50").waitFor();

    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("You are logged out.").waitFor();
    assert.equal(await page.getByText("harbor").count(), 0);
  });
});

Deno.test("after a login a page that is no address, or not of this site, is the pipeline", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    for (const next of ["http://[", "https://example.com/roles", "//example.com/roles"]) {
      await page.goto(`${site.url}/login?next=${encodeURIComponent(next)}`);
      await heading(page, "Pipeline Flow").waitFor();
      assert.equal(page.url(), `${site.url}/pipeline`);
    }
  });
});

Deno.test("a connection that breaks is taken up where it ended", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    await page.locator(".pulse.on").waitFor();
    // That the page has read an event shows nowhere, and a busy machine cuts the line before it has.
    await page.evaluate(
      "globalThis.heard = []; JSON.parse = new Proxy(JSON.parse, { apply: (parse, self, given) => (heard.push(given[0]), parse(...given)) })",
    );
    site.happen("job_update", { turn: 8 });
    site.happen("job_update", { turn: 9 });
    const heard = () => page.evaluate<boolean>(`heard.includes('{"turn":9}')`);
    await until(heard, () => "the second event");
    await page.context().setOffline(true);
    await page.getByText("Connection lost.").waitFor();
    const asked = page.waitForRequest((request) => request.url().endsWith("/api/events"));
    await page.context().setOffline(false);
    assert.equal((await asked).headers()["last-event-id"], "2");
    await page.getByText("Connection lost.").waitFor({ state: "detached" });
  });
});

Deno.test("a clock that is set back holds no news back", async () => {
  let turn = 7;
  await seeing({ wish: { reads: atTurn(() => turn) } }, async ({ page, site }) => {
    await logIn(page, site.url);
    await page.getByText("turn 7 of 50").waitFor();
    await page.evaluate("Date.now = () => performance.timeOrigin - 86400_000");
    turn = 8;
    site.happen("job_update", { turn });
    await page.getByText("turn 8 of 50").waitFor();
  });
});

Deno.test("a page that gets no stream of events says why", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    await page.locator(".pulse.on").waitFor();
    const others = [];
    for (let nth = 0; nth < STREAMS_PER_SESSION; nth++) others.push(await page.context().newPage());
    for (const other of others) {
      await other.goto(`${site.url}/pipeline`);
      await other.locator(".fresh").waitFor();
    }
    await others.at(-1)!.getByText("Too many pages of this dashboard are open.").waitFor();
    const titled = async () => (await page.title()).startsWith("(2) Pipeline");
    await until(titled, () => "another title");
  });
});

Deno.test("controls say what they do, and do it once confirmed", async () => {
  await seeing({}, async ({ page, site }) => {
    await logIn(page, site.url);
    const choose = async (name: string, verb: string) => {
      await page.getByRole("button", { name: "Controls" }).click();
      await page.getByRole("dialog").getByRole("button", { name: new RegExp(`^${name}`) })
        .click();
      await page.getByRole("dialog").getByRole("button", { name: verb }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await choose("Restart the workers", "Restart");
    await choose("Emergency stop", "End everything now");
    await page.locator(".pulse.paused").waitFor();
    await page.keyboard.press("s");
    await page.getByRole("dialog").getByLabel("Repo").selectOption({ label: "ledger" });
    await page.getByRole("dialog").getByRole("button", { name: "Scan" }).click();
    await notice(page).filter({ hasText: "4 found, 1 new tickets, 3 known already" }).waitFor();
    await choose("Resume", "Resume");
    await choose("Stop", "Stop the service");
    assert.deepEqual(site.asked, [
      "restart",
      "emergency-stop",
      "scan r-ledger",
      "resume",
      "stop",
    ]);
  });
});

Deno.test("without a control secret the page says how to set one", async () => {
  for (const command of ["svc start", "svc serve"]) {
    await seeing({ wish: { secret: undefined, command } }, async ({ page, site }) => {
      await page.goto(`${site.url}/login`);
      await heading(page, "Nobody can log in yet").waitFor();
      await page.getByText(`${command} was run without a control secret`).waitFor();
      assert.equal(
        await page.locator("pre").innerText(),
        `eval "$(svc dashboard secret)"\necho "$SVC_DASHBOARD_CONTROL_SECRET"\n${command}`,
      );
      // It is remembered for when the service is gone.
      await site.stop();
      await page.getByRole("button", { name: "Look again" }).press("Enter");
      await heading(page, "The service does not answer").waitFor();
      assert.equal(await page.locator("pre").innerText(), command);
    });
  }
});
