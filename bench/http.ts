/**
 * The dashboard's listener under load, beside a bare `Deno.serve` in the same run: `make bench-http`.
 * Requests are sent by wrk where it is installed, else by this process, which is slower than the server.
 */
import { type DashboardPlace, dashboardPlace } from "tests/unit/http/dashboard_place.ts";

const SECONDS = Number(Deno.env.get("SVC_BENCH_SECONDS") ?? 10);
const CONNECTIONS = 32;
const EVENTS = 300;
const EVENT_GAP_MS = 10;

interface Server extends AsyncDisposable {
  readonly url: string;
  readonly cookie: string;
  readonly csrf: string;
  /** Memory that it holds, in MiB. */
  rss(): Promise<number>;
}

function epoch(): number {
  return performance.timeOrigin + performance.now();
}

/** Each carries the time at which it was told. */
async function tell(add: (data: Readonly<Record<string, unknown>>) => void): Promise<void> {
  for (let at = 0; at < EVENTS; at++) {
    add({ at: epoch(), last: at === EVENTS - 1, text: "x".repeat(300) });
    await new Promise((resolve) => setTimeout(resolve, EVENT_GAP_MS));
  }
}

/** The least that can be done: no checks, no headers of safety, no bounds. */
function serveBare(): void {
  const text = `${JSON.stringify({ healthy: true, paused: false, uptime_secs: 1 })}\n`;
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const open = () => {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      controller.enqueue(new TextEncoder().encode(": keepalive\n\n"));
      streams.add(controller);
    };
    return new Response(new ReadableStream({ start }), {
      headers: { "content-type": "text/event-stream" },
    });
  };
  const add = (data: unknown) => {
    const line = JSON.stringify({ type: "job_update", data: JSON.stringify(data) });
    const message = new TextEncoder().encode(`data: ${line}\n\n`);
    for (const controller of streams) controller.enqueue(message);
  };
  const onListen = ({ port }: Deno.NetAddr) => console.log(JSON.stringify({ port }));
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, async (request) => {
    if (request.url.endsWith("/api/events")) return open();
    if (request.method === "POST") await tell(add);
    return new Response(text);
  });
}

/** A control begins the events. */
async function serveDashboard(): Promise<void> {
  const place: DashboardPlace = dashboardPlace({
    service: {
      resume: () => tell((data) => place.feed.add(data)),
      // As small as the service's own.
      glance: () => ({ healthy: true, claims: "claiming", startedAt: 1_700_000_000_000 }),
    },
  });
  const { cookie, csrf } = await place.login();
  console.log(JSON.stringify({ port: place.port, cookie, csrf }));
}

async function started(kind: string): Promise<Server> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", import.meta.filename!, kind],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { port, cookie = "", csrf = "" } = JSON.parse((await reader.read()).value!);
  return {
    ...{ url: `http://127.0.0.1:${port}`, cookie, csrf },
    async rss() {
      const status = await Deno.readTextFile(`/proc/${child.pid}/status`);
      return Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) / 1024;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
    },
  };
}

interface Load {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly count: number;
}

async function byWrk(url: string, cookie: string): Promise<Load> {
  const header = cookie === "" ? [] : ["-H", `Cookie: ${cookie}`];
  const { stdout } = await new Deno.Command("wrk", {
    args: ["-t1", `-c${CONNECTIONS}`, `-d${SECONDS}s`, "--latency", ...header, url],
  }).output();
  const text = new TextDecoder().decode(stdout);
  if (/Non-2xx/.test(text)) throw new Error(text);
  const [, time, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(text)!;
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]),
    p99Ms: Number(time) * { us: 0.001, ms: 1, s: 1000 }[unit as "us" | "ms" | "s"],
    count: Number(/(\d+) requests in/.exec(text)![1]),
  };
}

async function byFetch(url: string, cookie: string): Promise<Load> {
  const ms: number[] = [];
  const until = performance.now() + SECONDS * 1000;
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    while (performance.now() < until) {
      const start = performance.now();
      const response = await fetch(url, { headers: { cookie } });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${url}: ${response.status}`);
      ms.push(performance.now() - start);
    }
  }));
  ms.sort((a, b) => a - b);
  return {
    perSecond: ms.length / SECONDS,
    p99Ms: ms[Math.floor(ms.length * 0.99)]!,
    count: ms.length,
  };
}

/** How long after it was told each event was with each client, ms in order. */
async function eventTimes(
  { url, cookie, csrf }: Server,
  others: readonly string[],
): Promise<number[]> {
  const cookies = [cookie, ...others];
  const ms: number[] = [];
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, async (_, at) => {
    const response = await fetch(`${url}/api/events`, {
      headers: { cookie: cookies[Math.floor(at / 4)] ?? "" },
    });
    if (!response.ok) throw new Error(`events: ${response.status}`);
    return response.body!.pipeThrough(new TextDecoderStream());
  }));
  const read = clients.map(async (body) => {
    let rest = "";
    for await (const text of body) {
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) {
        const line = /^data: (.*)$/m.exec(block)?.[1];
        if (line === undefined) continue;
        const { at, last } = JSON.parse(JSON.parse(line).data);
        ms.push(epoch() - at);
        if (last) return;
      }
    }
  });
  const headers = { cookie, origin: url, "x-svc-csrf-token": csrf };
  await (await fetch(`${url}/api/resume`, { method: "POST", headers })).body?.cancel();
  await Promise.all(read);
  return ms.sort((a, b) => a - b);
}

async function logins({ url }: Server, count: number): Promise<string[]> {
  const cookies: string[] = [];
  while (cookies.length < count) {
    const response = await fetch(`${url}/api/login`, {
      method: "POST",
      headers: { origin: url, "content-type": "application/json" },
      body: JSON.stringify({ secret: "a control secret of 32 bytes: 0123456789" }),
    });
    await response.body?.cancel();
    if (response.ok) cookies.push(response.headers.getSetCookie()[0]!.split(";")[0]!);
    else await new Promise((resolve) => setTimeout(resolve, 1000)); // ten a minute are let through
  }
  return cookies;
}

async function measure(): Promise<void> {
  const wrk = await new Deno.Command("wrk", { args: ["-v"], stdout: "null", stderr: "null" })
    .output()
    .then(() => true, () => false);
  const load = wrk ? byWrk : byFetch;
  await using bare = await started("bare");
  await using svc = await started("dashboard");
  const rows: [string, Load][] = [];
  const floor = await load(bare.url, "");
  rows.push(["bare Deno.serve", floor]);
  rows.push(["GET /api/status", await load(`${svc.url}/api/status`, "")]);
  rows.push([
    "GET /api/status, with a session",
    await load(`${svc.url}/api/status`, svc.cookie),
  ]);
  const warm = await svc.rss();
  const again = await load(`${svc.url}/api/status`, svc.cookie);
  const after = await svc.rss();
  console.log(`${wrk ? "wrk" : "fetch"}, ${CONNECTIONS} connections, ${SECONDS} s each`);
  for (const [name, { perSecond, p99Ms }] of rows) {
    const share = (perSecond / floor.perSecond * 100).toFixed(0);
    console.log(`${name}: ${perSecond.toFixed(0)}/s (${share} %), p99 ${p99Ms.toFixed(2)} ms`);
  }
  const [, [, anonymous]] = rows as [unknown, [string, Load]];
  const met = anonymous.perSecond >= floor.perSecond / 2 && anonymous.p99Ms <= 3 * floor.p99Ms;
  console.log(`goal without a session ≥ 50 %, p99 ≤ 3 × bare: ${met ? "met" : "missed"}`);
  console.log(
    `RSS ${warm.toFixed(0)} MiB, after ${again.count} more requests ${after.toFixed(0)} MiB`,
  );
  const least = await eventTimes(bare, []);
  const own = await eventTimes(svc, await logins(svc, CONNECTIONS / 4 - 1));
  for (const [name, ms] of [["bare Deno.serve", least], ["GET /api/events", own]] as const) {
    const at = (share: number) =>
      ms[Math.min(ms.length - 1, Math.floor(ms.length * share))]!.toFixed(2);
    console.log(
      `an event to each of ${CONNECTIONS} streams, ${name}: p50 ${at(0.5)} ms, ` +
        `p99 ${at(0.99)} ms, max ${at(1)} ms (${ms.length} readings)`,
    );
  }
}

const [kind] = Deno.args;
if (kind === undefined) await measure();
else if (kind === "bare") serveBare();
else await serveDashboard();
