/** The dashboard of a service: its pages from the program's folder, its answers from what is stored. */
import type { App } from "svc/app.ts";
import type { Listener } from "svc/platform/net/listen.ts";
import type { EnginePorts } from "svc/runtime/engine/engine_plan.ts";
import type { Service, Shape } from "svc/runtime/service/plan.ts";
import type { Repo } from "svc/features/repos/repo_table.ts";
import { originAsked, type ServiceAsked } from "./service_confine.ts";
import { listenAt, type Secrets, usualAddress } from "./service_listen.ts";

/** One file of the dashboard's pages: its script is the largest, and far smaller. */
const DASHBOARD_FILE_BYTES = 8 * 1024 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

type Asset = { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string };

/** All files below `assets/dashboard`, kept in memory: an update of the program meets no half of them. */
async function pageFiles({ files, runtime }: App): Promise<ReadonlyMap<string, Asset>> {
  const found = new Map<string, Asset>();
  const root = `${runtime.root}assets/dashboard`;
  const walk = async (below: string): Promise<void> => {
    const { entries } = await files.list(`${root}${below}`);
    for (const { name, kind } of entries) {
      const path = `${below}/${name}`;
      if (kind === "folder") await walk(path);
      const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
      if (kind !== "file" || type === undefined) continue;
      const bytes = await files.read(`${root}${path}`, { maxBytes: DASHBOARD_FILE_BYTES });
      found.set(path.slice(1), { bytes: new Uint8Array(bytes), type });
    }
  };
  if (await files.stat(root) !== undefined) await walk("");
  return found;
}

export interface DashboardAsked {
  readonly app: App;
  readonly shape: Shape;
  readonly asked: ServiceAsked;
  readonly ports: EnginePorts;
  readonly secrets: Secrets;
  repos(): Promise<readonly Repo[]>;
}

const placeOf = async ({ app, asked, shape }: DashboardAsked) => ({
  typed: asked.dashboardAddr,
  flag: "--dashboard-addr" as const,
  shape,
  usual: await usualAddress(app, "dashboard"),
});

/** Before anything is begun: an address that was asked for and is taken is the user's to settle. */
export async function mustBeFree(plan: DashboardAsked): Promise<void> {
  const place = await placeOf(plan);
  if (place.typed === undefined && plan.shape === "start") return;
  const [{ listenLoopback }, { loopbackAddress }] = await Promise.all([
    plan.app.load("src/platform/net/listen"),
    plan.app.load("src/core/loopback"),
  ]);
  const nobody = () => new Response(null, { status: 503 });
  await listenAt(place, (addr) => listenLoopback(loopbackAddress(addr), nobody)).stop(0);
}

export async function openDashboard(plan: DashboardAsked, service: Service): Promise<Listener> {
  const { app, asked, ports, secrets, repos } = plan;
  const [{ dashboardListener }, { openReads }, pages] = await Promise.all([
    app.load("src/http/dashboard"),
    app.load("src/runtime/views/open_reads"),
    pageFiles(app),
  ]);
  const reads = openReads(ports, { service, repos });
  const place = await placeOf(plan);
  return listenAt(place, (addr) =>
    dashboardListener({
      addr,
      clock: app.clock,
      log: app.log,
      service,
      reads,
      trustedOrigin: originAsked(app, asked),
      secret: secrets.dashboard,
      assets: (path) => pages.get(path),
    }));
}
