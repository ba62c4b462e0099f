/** Opens the dashboard of a service: its pages come from the program's folder, its data from the database. */
import type { App } from "svc/app.ts";
import type { Listener } from "svc/platform/net/listen.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import type { ServiceRun } from "./control.ts";
import { trustedOriginOf } from "./flags.ts";
import { bindOnce, listenAt, usualAddress } from "./listen.ts";

/** Most bytes of one file of the pages; the largest, the script, is far smaller. */
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

/** Reads all files below `assets/dashboard` into memory, so that an update of svc cannot mix two versions. */
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

const addressOf = async ({ app, options, shape }: ServiceRun) => ({
  typed: options.dashboardAddr,
  flag: "--dashboard-addr" as const,
  shape,
  usual: await usualAddress(app, "dashboard"),
});

/** Checks the dashboard's address before the service begins. @throws Failure `conflict` when it is taken */
export async function mustBeFree(run: ServiceRun): Promise<void> {
  const address = await addressOf(run);
  if (address.typed === undefined && run.shape === "start") return;
  await bindOnce(run.app, address);
}

export async function openDashboard(run: ServiceRun, service: Service): Promise<Listener> {
  const { app, options, ports, secrets, repos } = run;
  const [{ dashboardListener }, { openReads }, pages] = await Promise.all([
    app.load("src/http/dashboard"),
    app.load("src/runtime/views/open_reads"),
    pageFiles(app),
  ]);
  const address = await addressOf(run);
  return listenAt(address, (addr) =>
    dashboardListener({
      addr,
      clock: app.clock,
      log: app.log,
      service,
      reads: openReads(ports, { service, repos }),
      trustedOrigin: trustedOriginOf(app, options),
      secret: secrets.dashboard,
      assets: (path) => pages.get(path),
    }));
}
