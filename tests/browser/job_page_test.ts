/** The page of a job: a run that is followed, one of 50 MB, what a person does about it; and the list of jobs. */
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { Failure } from "svc/core/failure.ts";
import type { StepItem } from "svc/runtime/views/job_trace_view.ts";
import { logIn, PHONE, seeing, unfold } from "tests/kit/browser.ts";
import { job } from "tests/kit/browser_facts.ts";
import { jobPage } from "tests/kit/browser_pages.ts";
import { jobSteps, jobTrace } from "tests/kit/browser_trace.ts";
import { longTrace } from "tests/kit/long_trace.ts";
import { verifies } from "tests/kit/verifies.ts";
import { tracePlace } from "tests/unit/runtime/views/trace_place.ts";

const see = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const ID = job(0).id;

async function mustBeAccessible(page: Page, place: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true)
    .options({ resultTypes: ["violations"] }).analyze();
  const said = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  assert.deepEqual(said, [], place);
}

/** So many turns, all alike but for their number; the last has not ended. */
function steps(count: number): StepItem[] {
  const [prompt, one] = jobSteps(Date.now());
  return Array.from({ length: count }, (_, nth) => {
    if (nth === 0) return prompt!;
    const turn = { ...one!, step: nth, turn: nth, title: `Turn ${nth}` };
    if (nth < count - 1) return turn;
    const calls = turn.calls.map((call) => ({ ...call, result: null, status: "not answered" }));
    return { ...turn, calls, duration_ms: null };
  });
}

const running = (id: string) =>
  jobPage(Date.now(), {
    job: job(Date.now(), { id, status: "running", disposition: null, finished_at: null }),
    diff: null,
  });

const inSight = (page: Page, text: string) =>
  page.evaluate<number>(`(() => {
    const step = [...document.querySelectorAll(".step")].find((one) =>
      one.querySelector("b")?.textContent === ${JSON.stringify(text)});
    return step === undefined ? NaN : Math.round(step.getBoundingClientRect().top);
  })()`);

verifies(
  ["4.2:debug:page"],
  "a run is followed as it happens, and stays where it is for who has scrolled up",
  async () => {
    let known = 30;
    let live = true;
    await seeing({
      wish: {
        reads: {
          job: ({ id }) => Promise.resolve(running(id)),
          "job-trace": ({ from }) =>
            Promise.resolve(jobTrace(steps(known), { ...(from && { from }), live })),
        },
      },
    }, async ({ page, site }) => {
      await logIn(page, site.url);
      await page.goto(`${site.url}/job?id=${ID}`);
      await see(page, "30 steps so far");
      await mustBeAccessible(page, "running");

      // From its beginning nothing moves when more comes.
      await page.evaluate("scrollTo(0, 700)");
      await page.getByText("Turn 9", { exact: true }).waitFor();
      const before = await inSight(page, "Turn 9");
      known = 40;
      site.happen("job_turn", { id: ID, turn: 39 });
      await see(page, "40 steps so far");
      assert.equal(await inSight(page, "Turn 9"), before);

      // By keyboard alone: follow, and the newest is in sight each time.
      const follow = page.getByRole("button", { name: "Follow" });
      await follow.focus();
      await page.keyboard.press("Enter");
      await page.getByText("Turn 39", { exact: true }).waitFor();
      assert.equal(await page.locator(".step").last().getByText("running").count(), 2);
      for (known of [41, 45]) {
        site.happen("job_turn", { id: ID, turn: known - 1 });
        await page.getByText(`Turn ${known - 1}`, { exact: true }).waitFor();
        const top = await inSight(page, `Turn ${known - 1}`);
        assert.ok(top > 0 && top < 900, `${top}`);
      }
      // What was running has ended meanwhile.
      assert.equal(await page.locator('[data-step="39"]').getByText("running").count(), 0);

      // Scrolling up ends it.
      await page.mouse.wheel(0, -900);
      await page.locator('button[aria-pressed="false"]').filter({ hasText: "Follow" }).waitFor();
      const sight = (await page.locator(".step b").allInnerTexts())[12]!;
      const stays = await inSight(page, sight);
      known = 50;
      site.happen("job_turn", { id: ID, turn: 49 });
      await see(page, "50 steps so far");
      assert.equal(await inSight(page, sight), stays);

      live = false;
      site.happen("job_update", { id: ID, status: "completed" });
      await follow.waitFor({ state: "detached" });
    });
  },
);

Deno.test("a run of 50 MB is opened, scrolled and read with few rows and few bytes, on a phone in the dark", async () => {
  await using at = await tracePlace();
  const turns = await longTrace(at.path, 50 * 1024 * 1024);
  const { job: jobRead, "job-trace": trace, "job-trace-text": text } = at.reads;
  await seeing({
    wish: { reads: { job: jobRead, "job-trace": trace, "job-trace-text": text } },
    options: { viewport: PHONE, hasTouch: true, colorScheme: "dark" },
  }, async ({ page, site }) => {
    let bytes = 0;
    page.on("response", async (response) => {
      if (response.url().includes("/api/job")) bytes += (await response.body()).byteLength;
    });
    await logIn(page, site.url);
    await page.goto(`${site.url}/job?id=${at.id}`);
    await page.getByText("Turn 1", { exact: true }).waitFor();
    assert.ok(bytes < 400_000, `${bytes} bytes to open it`);
    const rows = () => page.locator(".step").count();
    assert.ok(await rows() < 60);
    assert.equal(await page.locator(".step").first().getAttribute("aria-setsize"), `${turns + 1}`);

    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await page.getByText(`Turn ${turns}`, { exact: true }).waitFor();
    await page.evaluate(`new Promise((drawn) => {
        scrollTo(0, document.body.scrollHeight / 2);
        requestAnimationFrame(() => requestAnimationFrame(drawn));
      })`);
    await page.locator(".step-coming").first().waitFor({ state: "detached" });
    assert.match(await page.locator(".step b").nth(9).innerText(), /^Turn \d{3,}$/);
    assert.ok(await rows() < 60);
    assert.ok(bytes < 1_500_000, `${bytes} bytes after three places of it`);

    await page.locator(".step .call summary").nth(12).click();
    const call = page.locator(".call[open]");
    await call.getByRole("button", { name: /^Show more: 14 k/ }).click();
    const whole = call.locator("pre").filter({ hasText: /(?:0123456789abcdef){1000}/ });
    await whole.waitFor();
    // Out of sight it does not exist; what was opened is open again.
    const place = await page.evaluate("scrollY");
    await page.evaluate("scrollTo(0, 0)");
    await call.waitFor({ state: "detached" });
    await page.evaluate(`scrollTo(0, ${place})`);
    await whole.waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0);
    await page.evaluate("scrollTo(0, 0)");
    await page.getByText("The prompt", { exact: true }).waitFor();
    await mustBeAccessible(page, "50 MB");
  });
});

verifies(
  ["4.2:debug:page"],
  "a job that ended is run again after one question; its diff, facts and decision are there by keyboard",
  async () => {
    await seeing({}, async ({ page, site }) => {
      await logIn(page, site.url);
      await page.goto(`${site.url}/job?id=${ID}`);
      await see(page, "Ended as submitted");
      await page.keyboard.press("j");
      assert.equal(await page.evaluate("document.activeElement.innerText"), "Facts");
      await page.getByRole("link", { name: /^Changes/ }).focus();
      await page.keyboard.press("Enter");
      await see(page, "src/upload.ts");
      await unfold(page);
      await mustBeAccessible(page, "changes");
      await page.reload();
      await page.getByRole("heading", { level: 2, name: "Changes" }).waitFor();
      await page.goBack();
      await see(page, "The prompt");
      await unfold(page);
      await see(page, "You are the engineer of harbor.");
      await see(page, "First the place where uploads are sent");
      await mustBeAccessible(page, "turns");

      await page.getByRole("button", { name: "Run it again" }).focus();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog");
      await dialog.getByText("The job that ended stays as it is.").waitFor();
      await dialog.getByRole("button", { name: "Run it again" }).press("Enter");
      await see(page, "It is queued again.");
      assert.deepEqual(site.asked, [`retry-job ${ID}`]);
      await page.getByRole("link", { name: /^Job / }).click();
      assert.match(page.url(), /aa0000000002$/);
    });
  },
);

Deno.test("what the service refuses about a job is said in its dialog, and a reason is sent with a stop", async () => {
  const refused = () => {
    const remedy = "svc tickets new";
    throw new Failure("conflict", 'Cannot retry the job: its ticket "T-0042" is done', { remedy });
  };
  await seeing({ wish: { retryJob: refused } }, async ({ page, site }) => {
    await logIn(page, site.url);
    await page.goto(`${site.url}/job?id=${ID}`);
    await page.getByRole("button", { name: "Run it again" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run it again" }).click();
    const said = page.getByRole("dialog").getByRole("alert");
    await said.filter({
      hasText:
        'Refused. Cannot retry the job: its ticket "T-0042" is done. To settle it: svc tickets new',
    }).waitFor();
  });
  await seeing({
    wish: { reads: { job: ({ id }) => Promise.resolve(running(id)) } },
  }, async ({ page, site }) => {
    await logIn(page, site.url);
    await page.goto(`${site.url}/job?id=j-1`);
    await page.getByRole("button", { name: "Stop this job" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/^Why/).fill("it goes in circles");
    await dialog.getByRole("button", { name: "Stop this job" }).click();
    await see(page, "The job is being stopped.");
    assert.match(site.asked.join(), /^cancel-job j-1 .*it goes in circles$/);
  });
});

verifies(
  ["4.2:debug:page"],
  "a search of the list of jobs looks at all of them, on the service",
  async () => {
    const asked: string[] = [];
    await seeing({
      wish: {
        reads: {
          jobs: ({ search = "", before } = {}) => {
            asked.push(search);
            const far = job(Date.now(), { id: "j-old", role: "librarian", reason: "Found it" });
            const near = Array.from(
              { length: 100 },
              (_, nth) => job(Date.now(), { id: `j-${String(200 - nth)}` }),
            );
            if (before !== undefined) return Promise.resolve({ jobs: [far], before: null });
            if (search === "") return Promise.resolve({ jobs: near, before: "j-101" });
            return Promise.resolve({ jobs: search === "librarian" ? [far] : [], before: null });
          },
        },
      },
    }, async ({ page, site }) => {
      await logIn(page, site.url);
      await page.goto(`${site.url}/debug?view=jobs`);
      await see(page, "100 jobs loaded");
      await page.keyboard.press("/");
      await page.keyboard.type("librarian");
      await see(page, "1 job found; these are all.");
      assert.equal(await page.locator(".job-row a").first().innerText(), "librarian");
      assert.ok(!asked.includes("lib"), "not at every letter");
      await page.getByLabel("Search all jobs").fill("nobody");
      await see(page, "Nothing matches this filter.");
      await page.getByRole("link", { name: "Show everything" }).click();
      await see(page, "100 jobs loaded");
    });
  },
);
