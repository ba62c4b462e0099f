/** The page of a job with a trace of 50 MB beside one of a few lines, and lists of 10,000 jobs beside a list of ten. */
import type { Browser, Page } from "playwright-core";
import type { Reads } from "svc/runtime/views/all.ts";
import { logIn, openPage } from "tests/kit/browser.ts";
import { browserSite } from "tests/kit/browser_site.ts";
import { longTrace } from "tests/kit/long_trace.ts";
import { manyJobs } from "tests/kit/many_jobs.ts";
import { tracePlace } from "tests/unit/runtime/views/trace_place.ts";

const ROUNDS = 7;
const LONG_BYTES = 50 * 1024 * 1024;

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

async function timed(act: (round: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    await act(round);
    times.push(performance.now() - began);
  }
  return median(times);
}

const told = (what: string, large: number, small: number) =>
  console.log(
    `${what}: ${large.toFixed(0)} ms, small ${small.toFixed(0)} ms, ${
      (large / small).toFixed(1)
    } x`,
  );

interface Place {
  readonly id: string;
  readonly reads: Reads;
}

/** Opens each page in a tab of its own, logged in once. */
async function opened(
  browser: Browser,
  { reads }: Place,
  look: (page: Page, url: string) => Promise<void>,
): Promise<void> {
  await using site = browserSite({ reads });
  await using watched = await openPage(browser);
  await logIn(watched.page, site.url, "/debug");
  await look(watched.page, site.url);
}

async function steps(browser: Browser, place: Place): Promise<number> {
  let time = 0;
  await opened(browser, place, async (page, url) => {
    time = await timed(async () => {
      await page.goto(`${url}/job?id=${place.id}`);
      await page.getByText("Turn 1", { exact: true }).waitFor();
    });
  });
  return time;
}

async function listed(browser: Browser, place: Place): Promise<number> {
  let time = 0;
  await opened(browser, place, async (page, url) => {
    time = await timed(async () => {
      await page.goto(`${url}/debug?view=jobs`);
      await page.locator(".job-row a").first().waitFor();
    });
  });
  return time;
}

export async function benchJobs(browser: Browser): Promise<void> {
  await using short = await tracePlace();
  await using long = await tracePlace();
  await longTrace(short.path, 1);
  await longTrace(long.path, LONG_BYTES);
  const cold = performance.now();
  await long.trace();
  console.log(`first look through 50 MB: ${(performance.now() - cold).toFixed(0)} ms`);
  told("a job with a trace of 50 MB", await steps(browser, long), await steps(browser, short));

  await manyJobs(long.ports.db, long.repoId);
  told("list of 10,000 jobs", await listed(browser, long), await listed(browser, short));
  const search = (place: Place) =>
    timed((round) => place.reads.jobs({ search: `engineer stuck nowhere${round}` }));
  told("a search that finds nothing among 10,000 jobs", await search(long), await search(short));
}
