/**
 * `make demo`: a whole team at work on a small repo, in a temporary folder, with a scripted model; or on a
 * clone of a repo of yours, with a model of yours:
 *
 *   make demo REPO=/path MODEL_ENDPOINT=http://localhost:11434/v1 MODEL=qwen3-coder:30b
 *
 * The folder goes at the end; DEMO_KEEP=1 keeps it. DEMO_EXIT=1 ends by itself. DEMO_PACE_MS is how long the scripted model takes for an answer.
 */
import type { Pipeline } from "svc/runtime/views/pipeline_view.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { Dashboard } from "./dashboard.ts";
import { DEMO } from "./model.ts";
import { started, startService } from "./service.ts";
import { demoSite, git, removeSite } from "./site.ts";
import { summary } from "./summary.ts";

const env = (name: string) => Deno.env.get(name) || undefined;
const say = (text: string) => console.error(text);

/** Ends by itself: after this something is wrong. */
const LONGEST_MS = 5 * 60_000;
const PACE_MS = Number(env("DEMO_PACE_MS") ?? 80);

/** Resolves when there are tickets, all are done or blocked, and no job is left. */
async function settled(dashboard: Dashboard, signal: AbortSignal): Promise<void> {
  for await (const { type } of dashboard.events(signal)) {
    if (type !== "job_update" && type !== "ticket_update") continue;
    const { jobs, repos } = await dashboard.read<Pipeline>("/api/pipeline");
    const { done = 0, blocked = 0, ...open } = repos[0]?.tickets ?? {};
    const left = Object.values<number>(open).some((count) => count > 0);
    if (jobs.pending + jobs.running === 0 && done + blocked > 0 && !left) return;
  }
  throw new Error("svc closed the stream of events");
}

/** Resolves at `q`, or at Ctrl-C. */
async function quit(): Promise<void> {
  if (!Deno.stdin.isTerminal()) return await new Promise(() => {});
  Deno.stdin.setRaw(true, { cbreak: true });
  try {
    for await (const bytes of Deno.stdin.readable) {
      if (new TextDecoder().decode(bytes).includes("q")) return;
    }
  } finally {
    Deno.stdin.setRaw(false);
  }
}

/** The endpoint to ask, and how to end it. */
interface Model {
  readonly url: string;
  end(): Promise<void>;
}

/** @throws Error for a repo without a model */
function model(): Model {
  const given = env("MODEL_ENDPOINT");
  if (given !== undefined) {
    const named = env("MODEL");
    const url = named === undefined ? given : `${given}#${named}`;
    return { url, end: () => Promise.resolve() };
  }
  if (env("REPO") !== undefined) {
    throw new Error("REPO needs MODEL_ENDPOINT too: the script knows the sample project alone");
  }
  const pace = () => new Promise<void>((resolve) => setTimeout(resolve, PACE_MS));
  const scripted = modelEndpoint(DEMO, { pace });
  return { url: scripted.url, end: async () => await scripted[Symbol.asyncDispose]() };
}

async function main(): Promise<number> {
  const endpoint = model();
  const site = await demoSite(env("REPO"));
  const since = (await git(site.repo, "rev-parse", "HEAD")).trim();
  const secret = crypto.getRandomValues(new Uint8Array(24)).toBase64({ alphabet: "base64url" });
  const began = performance.now();
  const keep = env("DEMO_KEEP") !== undefined;
  const service = startService(site, endpoint.url, secret);
  const ends = service.status;
  const over = new AbortController();
  const stop = () => over.abort();
  Deno.addSignalListener("SIGINT", stop); // the service gets it too, and stops
  try {
    const { dashboard_url } = await started(service);
    say(`\n  dashboard   ${dashboard_url}`);
    say(`  log in with ${secret}`);
    say(`  repo        ${site.repo}${site.sample ? "" : ", a clone: yours is left alone"}`);
    say(
      `  model       ${
        site.sample ? "a script, labelled fixture; all else is real" : endpoint.url
      }\n`,
    );
    const dashboard = new Dashboard(new URL(dashboard_url).origin);
    await dashboard.login(secret);
    const byItself = env("DEMO_EXIT") !== undefined;
    const late = byItself ? setTimeout(stop, LONGEST_MS) : undefined;
    await Promise.race([settled(dashboard, over.signal), ends]);
    clearTimeout(late);
    const seconds = Math.round((performance.now() - began) / 1000);
    say(`\n${await summary(dashboard, site, { since, seconds })}\n`);
    if (!byItself) {
      const gone = keep ? "" : ` That removes ${site.folder}; DEMO_KEEP=1 keeps it.`;
      say(`The service goes on: ${dashboard_url}. Press q to stop it.${gone}`);
      await Promise.race([quit(), ends]);
    }
    return 0;
  } finally {
    Deno.removeSignalListener("SIGINT", stop);
    try {
      service.kill("SIGTERM");
    } catch { /* it has ended */ }
    await ends;
    await endpoint.end();
    if (keep) say(`kept: ${site.folder}`);
    else await removeSite(site);
  }
}

Deno.exit(await main());
