/** Opens the dashboard of a service: its pages come from the program's folder, its data from the database. */
import type { Listener } from "svc/platform/net/listen.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import type { ServiceRun } from "./control.ts";
import { trustedOriginOf } from "./flags.ts";
import { bindOnce, listenAt, usualAddress } from "./listen.ts";

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
  const [{ dashboardListener }, { openReads }, { pageFiles }] = await Promise.all([
    app.load("src/http/dashboard"),
    app.load("src/runtime/views/open_reads"),
    app.load("src/http/page_files"),
  ]);
  const pages = await pageFiles(app.files, `${app.runtime.root}assets/dashboard`);
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
      command: `svc ${run.shape}`,
      assets: (path) => pages.get(path),
    }));
}
