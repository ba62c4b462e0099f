/** Runs a service in its confined Worker: listens, begins, tells what happens, stops, and counts. */
import type { App } from "svc/app.ts";
import { addressText } from "svc/core/loopback.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Repo } from "svc/features/repos/repo_table.ts";
import type { Listener } from "svc/platform/net/listen.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import { openStore } from "svc/store/open.ts";
import { mustBeFree, openDashboard } from "./service_dashboard.ts";
import { secretWarnings } from "./service_listen.ts";
import { openControl, type Place, placeOf } from "./service_place.ts";
import { leftOf, type ServiceReport, ServiceTally } from "./service_report.ts";
import { Speaker } from "./service_speaker.ts";
import { styledOn } from "./style.ts";

/** Requests that still run are given this long when the listeners close. */
const LISTENERS_CLOSE_MS = 500;

interface Urls {
  readonly dashboard: string | null;
  readonly control: string | null;
}

interface Telling {
  readonly speaker: Speaker;
  readonly tally: ServiceTally;
  /** As they were registered when it began. */
  readonly known: readonly Repo[];
}

const nameOf = ({ path }: Repo) => path.slice(path.lastIndexOf("/") + 1);

const urlOf = (listener: Listener | undefined) =>
  listener === undefined ? null : `http://${addressText(listener.address)}`;

/** What `start` decided, done; nothing for `serve`, which only goes on. @throws Failure as `beginStart` */
async function beginIn(place: Place, { speaker }: Telling) {
  const { app, shape, asked, ports } = place;
  if (shape === "serve") return {};
  const { beginStart, startedRepo } = await app.load("src/cli/service_start");
  const { force = false, newLifecycle = false, modelEndpoint } = asked;
  const { repos: [root = ""] = [], otherStart } = app.confinement ?? {};
  const { plan, notes } = await beginStart(
    { ...ports, signal: app.signal, identities: app.identities },
    await startedRepo(ports, root),
    {
      flags: { force, newLifecycle },
      otherStart,
      modelEndpoint,
      saw: (found) => found.forEach((text) => speaker.say(`found: ${text}`)),
    },
  );
  for (const text of [...plan.does, ...notes]) speaker.say(text);
  return { action: plan.action, rule: plan.rule };
}

async function startIn(place: Place, { speaker, tally, known }: Telling): Promise<Service> {
  const { app, shape, ports, repos, living } = place;
  const { concurrency, modelEndpoint, codeIntel } = place.asked;
  const { startService } = await app.load("src/runtime/service/service");
  const service = startService({
    ports,
    shape,
    repos,
    concurrency,
    modelEndpoint,
    codeIntel,
    on(event) {
      tally.hear(event);
      speaker.hear(event);
    },
  });
  living.service = service;
  const names = new Map(known.map((repo) => [repo.id, nameOf(repo)]));
  service.feed.subscribe((event) => {
    const moved = tally.stored(event, names.get(event.repo_id ?? "") ?? "");
    if (moved !== undefined) speaker.moved(moved);
  });
  return service;
}

/** The first object of `--json`. */
function factsOf({ app, shape, profile }: Place, { known }: Telling, urls: Urls, begun: object) {
  const { database, skipped = [] } = app.confinement ?? {};
  const paths = known.map(({ path }) => path);
  return {
    ok: true,
    event: "started",
    shape,
    profile,
    database,
    ...begun,
    ...(shape === "start" ? { repo: paths[0] } : { repos: paths, skipped }),
    dashboard_url: urls.dashboard,
    control_url: urls.control,
    pid: app.runtime.pid,
  };
}

/** The live screen where a person watches one; else nothing, and the lines tell. */
async function showScreen({ app, asked }: Place, service: Service, urls: Urls, speaker: Speaker) {
  const { json, plain, debug } = asked;
  if (!app.stdout.terminal || !app.stdinTerminal || json || plain || debug) return;
  if (app.env.get("TERM") === "dumb") return; // it cannot move its cursor
  const { runTerminal } = await app.load("src/terminal/live");
  const shown = { dashboard: urls.dashboard ?? undefined, control: urls.control ?? undefined };
  const styled = styledOn(app.stdout, app.env);
  await speaker.silently(runTerminal(app, { service, urls: shown, styled }));
}

/** Until the service has stopped: the first signal asks it to, the second hurries it. */
async function untilStopped({ signal, hurry }: App, service: Service): Promise<void> {
  const stop = () => void service.stop();
  for (const each of [signal, hurry]) {
    if (each.aborted) stop();
    else each.addEventListener("abort", stop);
  }
  try {
    await service.done;
  } finally {
    for (const each of [signal, hurry]) each.removeEventListener("abort", stop);
  }
}

/** @throws Failure before anything runs; what goes wrong later is told, and the rest goes on */
export async function runService(
  app: App,
  what: Pick<Place, "asked" | "profile" | "shape">,
): Promise<ServiceReport> {
  await using parts = new AsyncDisposableStack();
  const store = parts.use(await openStore(app, app.database!));
  const place = placeOf(app, store, what);
  const listening = (listener: Listener) => {
    parts.defer(() => listener.stop(LISTENERS_CLOSE_MS));
    return listener;
  };
  // Where another start is at work, this one ends before it listens.
  const alone = app.confinement?.otherStart === undefined;
  const control = alone ? listening(await openControl(place)) : undefined;
  if (alone) await mustBeFree(place);
  const known = await place.repos();
  const telling = { speaker: new Speaker(app, what.asked), tally: new ServiceTally(), known };
  const { speaker } = telling;
  speaker.repos(known);
  for (const warning of await secretWarnings(app, place.secrets)) speaker.warn(warning);
  for (const { path, why } of app.confinement?.skipped ?? []) {
    speaker.warn(`${path} is left out: ${why}`);
  }
  const begun = await beginIn(place, telling);
  const service = await startIn(place, telling);
  parts.defer(() => service.stop());
  const dashboard = listening(await openDashboard(place, service));
  const urls = { dashboard: urlOf(dashboard), control: urlOf(control) };
  if (what.asked.json) {
    const clean = (_: string, value: unknown) =>
      typeof value === "string" ? app.redact(value) : value;
    app.stdout.write(`${JSON.stringify(factsOf(place, telling, urls, begun), clean)}\n`);
  }
  speaker.started({ ...what, urls, repos: known.length });
  const screen = showScreen(place, service, urls, speaker);
  await untilStopped(app, service);
  await screen;
  return await reportOf(place, telling, service);
}

async function reportOf(
  place: Place,
  { tally, known }: Telling,
  service: Service,
): Promise<ServiceReport> {
  const { app, shape, profile, startedAt } = place;
  return {
    ok: true,
    event: "stopped",
    shape,
    profile,
    repos: known.map(({ path }) => path),
    database: app.database!,
    hurried: app.hurry.aborted,
    jobs: tally.jobs,
    moved: tally.moved,
    uptime_ms: Math.round(app.clock.monotonic() - startedAt),
    ...leftOf(await service.status()),
    next: nextStep(place, known),
  };
}

/** The command that goes on with it. */
function nextStep({ shape, profile, asked: { db } }: Place, known: readonly Repo[]): string {
  const database = db === undefined ? "" : ` --db ${quoted(db)}`;
  const host = profile === "host" ? " --execution-profile host --acknowledge-host-execution" : "";
  const [first] = known;
  if (first === undefined) return `svc register --repo <path>${database}`;
  const target = shape === "start" ? ` --repo ${quoted(first.path)}` : "";
  return `svc ${shape}${target}${database}${host}`;
}
