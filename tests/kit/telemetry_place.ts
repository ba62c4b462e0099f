/** A repo with ended jobs, a home of its own, and the commands of `svc telemetry` in process. */
import { repoId } from "svc/core/ids.ts";
import { homeOf } from "svc/platform/home.ts";
import type { Store } from "svc/store/open.ts";
import { openScoped } from "svc/store/placement.ts";
import { ports } from "tests/unit/store/temp_store.ts";
import { svc } from "./entrance.ts";
import { endedJob } from "./outcomes.ts";
import { tempFolder, type TempRepo, tempRepo } from "./temp_repo.ts";

const HOUR = 3_600_000;

export interface Told {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  // deno-lint-ignore no-explicit-any -- the shape of what was printed is what tests look at
  json(): any;
}

export interface TelemetryPlace extends AsyncDisposable {
  readonly repo: TempRepo;
  readonly home: string;
  readonly database: string;
  readonly env: Readonly<Record<string, string>>;
  /** `svc telemetry …` in the repo; `set` adds to the environment. */
  say(line: string, set?: Readonly<Record<string, string>>): Promise<Told>;
  configure(yaml: string): Promise<void>;
  store(): Promise<Store>;
  /** Jobs of engineers, an hour old, one of which got stuck. */
  work(jobs: number): Promise<void>;
}

export async function telemetryPlace(): Promise<TelemetryPlace> {
  const folder = await tempFolder();
  const repo = await tempRepo({ commit: true });
  const home = `${folder.path}/.svc`;
  const env = {
    PATH: Deno.env.get("PATH") ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: folder.path,
    SVC_HOME: home,
  };
  const place = { ...ports, home: homeOf({ get: (name) => name === "SVC_HOME" ? home : "" }) };
  const store = () => openScoped(place, { repo: repo.path });
  await using first = await store();
  return {
    repo,
    home,
    env,
    database: first.path,
    store,
    async say(line, set = {}) {
      const words = line.split(" ");
      const shown = await svc(["telemetry", ...words], {
        env: { ...env, ...set },
        cwd: repo.path,
      });
      return { ...shown, json: () => JSON.parse(shown.stdout) };
    },
    configure: (yaml) => folder.write(".svc/config.yaml", yaml),
    async work(jobs) {
      await using opened = await store();
      const of = { repoId: await repoId(repo.path), role: "engineer" };
      for (let nth = 0; nth < jobs; nth++) {
        const end = nth === 0
          ? { disposition: "stuck", category: "stuck" } as const
          : { disposition: "submitted" } as const;
        await endedJob(opened.db, { ...of, ...end, at: Date.now() - HOUR - nth });
      }
    },
    async [Symbol.asyncDispose]() {
      await repo[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export interface Heard {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

export interface Ear extends AsyncDisposable {
  readonly url: string;
  /** Requests in order. */
  readonly heard: readonly Heard[];
}

/** A plain server that answers each request as told, and keeps it. */
export function ear(answer: () => Response = () => new Response(null, { status: 202 })): Ear {
  const heard: Heard[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { headers, url } = request;
    heard.push({ path: new URL(url).pathname, headers, body: await request.text() });
    return answer();
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    heard,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Counts connections, and closes each; what comes in is not even read. */
export function doorbell() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const rings = { count: 0 };
  const ringing = (async () => {
    for await (const connection of listener) {
      rings.count++;
      connection.close();
    }
  })();
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    rings,
    async [Symbol.asyncDispose]() {
      listener.close();
      await ringing;
    },
  };
}

/** A valid report; its number makes its id. */
export function sampleReport(
  nth: number,
  failure: Readonly<Record<string, unknown>> = {},
): string {
  const durations = { under_10s: 1, under_1m: 0, under_5m: 0, under_30m: 0, longer: 0 };
  return JSON.stringify({
    schema_version: 1,
    report_id: `00000000-0000-8000-a000-${String(nth).padStart(12, "0")}`,
    tool_version: "0.1.0",
    os: "linux",
    arch: "x86_64",
    window: { from: "2026-11-21", to: "2026-11-22" },
    jobs: [{ role: "engineer", model: "local", count: 1, durations }],
    outcomes: [{ role: "engineer", disposition: "stuck", count: 1 }],
    failures: [{ role: "engineer", model: "local", category: "stuck", count: 1, ...failure }],
  });
}
