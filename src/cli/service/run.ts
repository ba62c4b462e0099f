/** Runs a service in its confined Worker: listens, begins, shows what happens, stops, and reports. */
import type { App } from "svc/app.ts";
import { addressText } from "svc/core/loopback.ts";
import { ownersLife, ownerText } from "svc/features/jobs/owner.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import { serviceBegan, serviceEnded } from "svc/features/jobs/service_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { Listener } from "svc/platform/net/listen.ts";
import type { NodeLife } from "svc/runtime/service/node_life.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import { openStore } from "svc/store/open.ts";
import { ringBell } from "./bell.ts";
import { openControl, type ServiceCall, type ServiceRun, serviceRun } from "./control.ts";
import { mustBeFree, openDashboard } from "./dashboard.ts";
import { ownAccounts, secretWarnings } from "./listen.ts";
import { EventLines } from "./event_lines.ts";
import { leftOf, type ServiceReport, ServiceTally } from "./report.ts";
import { Speaker } from "./speaker.ts";
import { waitsFor } from "./waits.ts";
import { samePlace, typedLine } from "svc/cli/typed_line.ts";
import { styledOn } from "svc/cli/page/page.ts";
import { Silence } from "svc/cli/page/progress.ts";

/** How long open requests may take when the listeners close. */
const LISTENERS_CLOSE_MS = 500;

/** Whoever waits for the listener asks again every few ms; to load what comes next takes 30 ms in one piece. */
const FIRST_ANSWER_MS = 5;

/** What a service loads once its control listener answers; the large parts of it come first. */
const NEXT_MODULES = [
  "src/core/zod",
  "src/platform/yaml",
  "src/runtime/service/service",
] as const;

interface Urls {
  readonly dashboard: string | null;
  readonly control: string | null;
}

interface ServiceOutput {
  readonly speaker: Speaker;
  readonly tally: ServiceTally;
  readonly lines: EventLines;
  readonly known: readonly RegisteredRepo[];
}

const nameOf = ({ path }: RegisteredRepo) => path.slice(path.lastIndexOf("/") + 1);

const urlOf = (listener: Listener | undefined) =>
  listener === undefined ? null : `http://${addressText(listener.address)}`;

/** Carries out the plan of `svc start`; `svc serve` needs none. @throws Failure as `beginStart` */
async function beginIn(run: ServiceRun, { speaker }: ServiceOutput) {
  const { app, shape, options, ports } = run;
  if (shape === "serve") return {};
  const { beginStart, startedRepo } = await app.load("src/runtime/start/begin_start");
  const { force = false, newLifecycle = false, modelEndpoint } = options;
  const { repos: [root = ""] = [], otherStart } = app.confinement ?? {};
  const { plan, notes } = await beginStart(
    { ...ports, signal: app.signal },
    await startedRepo(ports, root),
    {
      flags: { force, newLifecycle },
      otherStart,
      modelEndpoint,
      saw: (found) => found.forEach((text) => speaker.say(`found: ${text}`)),
      asks: (what) => app.progress.update(what),
    },
  );
  app.progress.done();
  for (const text of [...plan.does, ...notes]) speaker.say(text);
  return { action: plan.action, rule: plan.rule };
}

/** Undefined where the database is a file. @throws Failure as `beginNode` */
async function nodeOf({ app, ports, options }: ServiceRun): Promise<NodeLife | undefined> {
  if (ports.node === undefined) return undefined;
  const { beginNode } = await app.load("src/runtime/service/node_life");
  return await beginNode(ports, { node: ports.node, concurrency: options.concurrency });
}

async function startIn(
  run: ServiceRun,
  { speaker, tally, lines, known }: ServiceOutput,
  node: NodeLife | undefined,
): Promise<Service> {
  const { app, shape, ports, repos, living, said } = run;
  const { concurrency, modelEndpoint, codeIntel } = run.options;
  const { startService } = await app.load("src/runtime/service/service");
  const service = startService({
    ports,
    shape,
    repos,
    concurrency,
    modelEndpoint,
    codeIntel,
    node,
    reports: { said, target: app.runtime.target },
    ...(run.secrets.github !== undefined && { intake: { own: ownAccounts(app).github } }),
    on(event) {
      tally.hear(event);
      speaker.hear(event);
    },
  });
  living.service = service;
  node?.serve({
    changed: () => service.wake(),
    say: (text) => speaker.say(text, "warn"),
    stop: () => void service.stop(),
  });
  const names = new Map(known.map((repo) => [repo.id, nameOf(repo)]));
  service.feed.subscribe((event) => {
    lines.hear(event);
    const moved = tally.stored(event, names.get(event.repo_id ?? "") ?? "");
    if (moved !== undefined) speaker.moved(moved);
  });
  return service;
}

function factsOf(
  { app, shape, profile }: ServiceRun,
  { known }: ServiceOutput,
  urls: Urls,
  begun: object,
) {
  const { database, skipped = [] } = app.confinement ?? {};
  const paths = known.map(({ path }) => path);
  return {
    ok: true as const,
    event: "started" as const,
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

/** Hears keys where stdin and stdout are a terminal, and shows the live screen unless lines are asked for. */
async function atTerminal(
  { app, options, shape }: ServiceRun,
  service: Service,
  urls: Urls,
  speaker: Speaker,
) {
  const { json, plain, debug } = options;
  if (!app.stdout.terminal || !app.stdinTerminal || json) return;
  // A dumb terminal cannot move its cursor.
  if (plain || debug || app.env.get("TERM") === "dumb") {
    const { hearKeys } = await app.load("src/terminal/key_lines");
    return await hearKeys(app, service, (text) => speaker.say(text));
  }
  const { runTerminal } = await app.load("src/terminal/live");
  const shown = { dashboard: urls.dashboard ?? undefined, control: urls.control ?? undefined };
  // By itself a command is on the repo's own database.
  const database = shape === "serve" ? app.database : options.db;
  const styled = styledOn(app.stdout, app.env);
  await speaker.silently(runTerminal(app, { service, urls: shown, database, styled }));
}

/** A long silence is broken by what the service is at, or waits for. */
function breakSilence({ app }: ServiceRun, service: Service, speaker: Speaker): Disposable {
  const silence = new Silence(app.clock);
  const remind = async () => speaker.remind(waitsFor(await service.status()));
  speaker.onSpoken(() => silence.begin(remind));
  return silence;
}

/** Waits until the service has stopped; the first signal stops it, the second ends its jobs at once. */
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

/** Lets `svc status` and other commands know of it, until it ends. */
async function announce(
  { app, shape, profile, ports: { db } }: ServiceRun,
  urls: Urls,
  known: readonly RegisteredRepo[],
): Promise<AsyncDisposable> {
  const owner = ownerText(await app.identities.self(), "service");
  const untold = (thrown: unknown) => {
    app.log.write("warn", "others were not told of this service", { cause: thrown });
  };
  const record = {
    ...{ owner, shape, profile, started_at: app.clock.now() },
    ...{ dashboard_url: urls.dashboard, control_url: urls.control },
    repo_id: shape === "start" ? known[0]?.id ?? null : null,
  };
  await serviceBegan(db, record, ownersLife(app.identities)).catch(untold);
  return { [Symbol.asyncDispose]: () => serviceEnded(db, owner).catch(untold) };
}

/** @throws Failure for what goes wrong before the service runs; later faults become lines, and it runs on */
export async function runService(app: App, call: ServiceCall): Promise<ServiceReport> {
  await using parts = new AsyncDisposableStack();
  const store = parts.use(await openStore(app, app.database!));
  const run = serviceRun(app, store, call);
  const listening = (listener: Listener) => {
    parts.defer(() => listener.stop(LISTENERS_CLOSE_MS));
    return listener;
  };
  // While another start keeps the repo going, this one ends before it listens.
  const alone = app.confinement?.otherStart === undefined;
  const control = alone ? listening(await openControl(run)) : undefined;
  if (alone) await mustBeFree(run);
  const known = await run.repos();
  const telling = {
    speaker: new Speaker(app, call.options),
    tally: new ServiceTally(),
    lines: new EventLines(app, call.options.json),
    known,
  };
  const { speaker, lines } = telling;
  if (alone) await app.clock.sleep(FIRST_ANSWER_MS, app.signal);
  // One after the other, so that requests are answered in between.
  for (const module of NEXT_MODULES) await app.load(module);
  speaker.repos(known);
  for (const warning of await secretWarnings(app, run.secrets)) speaker.warn(warning);
  for (const { path, why } of app.confinement?.skipped ?? []) {
    speaker.warn(`${path} is left out: ${why}`);
  }
  const begun = await beginIn(run, telling);
  const node = await nodeOf(run);
  if (node !== undefined) parts.use(node);
  const service = await startIn(run, telling, node);
  parts.defer(() => service.stop());
  parts.defer(ringBell(app, service, call.options));
  const dashboard = listening(await openDashboard(run, service));
  const urls = { dashboard: urlOf(dashboard), control: urlOf(control) };
  parts.use(await announce(run, urls, known));
  lines.started(factsOf(run, telling, urls, begun));
  const { sandboxed = false } = app.confinement ?? {};
  speaker.started({ ...call, sandboxed, urls, repos: known.length });
  using _silence = breakSilence(run, service, speaker);
  const screen = atTerminal(run, service, urls, speaker);
  await untilStopped(app, service);
  await screen;
  return await reportOf(run, telling, service);
}

async function reportOf(
  run: ServiceRun,
  { tally, known }: ServiceOutput,
  service: Service,
): Promise<ServiceReport> {
  const { app, shape, profile, startedAt } = run;
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
    ...leftOf(await service.status(), await pausedIn(run, known)),
    next: await nextStep(run, known),
  };
}

/** Undefined also where the database does not answer any more. */
async function pausedIn(
  { app, shape, options, ports: { db } }: ServiceRun,
  known: readonly RegisteredRepo[],
): Promise<{ readonly reason: string; readonly resume: string } | undefined> {
  const claims = await claimState(db).catch((cause) => {
    app.log.write("warn", "whether claims are paused cannot be told", { cause });
    return { paused: false } as const;
  });
  if (!claims.paused) return undefined;
  const own = shape === "serve" ? app.database : options.db;
  const place = samePlace({ repo: known[0]?.path, db: own });
  return { reason: claims.reason, resume: `svc jobs resume${place}` };
}

/** As it was started, but for what is asked for once. */
const ONCE = ["force", "newLifecycle", "json", "debug", "logFile"];

async function nextStep(
  { app, shape, options }: ServiceRun,
  known: readonly RegisteredRepo[],
): Promise<string> {
  const [first] = known;
  if (first === undefined) return `svc register --repo <path>${samePlace({ db: options.db })}`;
  const { flags } = (await app.load(`src/cli/commands/${shape}`)).default;
  const given = shape === "start" ? { ...options, repo: first.path } : options;
  return typedLine(shape, flags, given, ONCE);
}
