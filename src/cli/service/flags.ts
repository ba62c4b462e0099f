/** The flags that `svc start` and `svc serve` share, and their checks. */
import type { App } from "svc/app.ts";
import type { CommonOptions } from "svc/cli/command.ts";
import { ENGINE_CONCURRENCY } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { loopbackAddress } from "svc/core/loopback.ts";
import { checkNodeName } from "svc/features/nodes/own_node.ts";
import { refuseInsideRepo } from "svc/platform/files/outside_repo.ts";
import { on, otherwise, path, text, type Values, whole } from "svc/cli/flags.ts";
import { checkLogFile } from "svc/cli/log_file.ts";
import { checkModelEndpoint } from "svc/cli/model_endpoint.ts";
import { profileFlags, sandboxFlags } from "svc/cli/profile_flags.ts";

export const serviceFlags = {
  concurrency: otherwise(
    whole("n", "How many jobs may run at a time", { min: 1, max: 64 }),
    ENGINE_CONCURRENCY,
  ),
  modelEndpoint: text("url", "OpenAI-compatible endpoint for all jobs, above every route"),
  codeIntel: on("Name in the prompts which files, definitions and tests may concern the work"),
  addr: text("ip:port", "Address for webhooks and health; loopback (default: 127.0.0.1:9090)"),
  dashboardAddr: text("ip:port", "Address of the dashboard; loopback (default: 127.0.0.1:9091)"),
  dashboardTrustedOrigin: text(
    "origin",
    "The https origin of a reverse proxy before the dashboard " +
      "(default: $SVC_DASHBOARD_TRUSTED_ORIGIN)",
  ),
  node: text(
    "name",
    "Name of this machine among those on the database server of --db (default: its host name)",
  ),
  bell: on("Ring the terminal's bell when something new needs you"),
  debug: on("Stream what happens line by line instead of the live screen"),
  logFile: path("file", "Write the command log here; outside the repo"),
  ...profileFlags,
  ...sandboxFlags,
};

/** Modules that a service loads in its Worker before it answers; all others wait until it does. */
export const SERVICE_MODULES = [
  "src/cli/service/run",
  "src/http/control",
] as const;

export type ServiceOptions = Values<typeof serviceFlags> & CommonOptions & {
  readonly db: string | undefined;
};

/** The origin of a reverse proxy, as typed: the only one beyond this machine that may use the dashboard. */
export function trustedOriginOf(
  { env }: Pick<App, "env">,
  { dashboardTrustedOrigin }: Pick<ServiceOptions, "dashboardTrustedOrigin">,
): string | undefined {
  return dashboardTrustedOrigin ?? (env.get("SVC_DASHBOARD_TRUSTED_ORIGIN") || undefined);
}

/** @throws Failure for what can be refused before a socket, a database or a repo is touched */
export async function checkServiceFlags(app: App, options: ServiceOptions): Promise<void> {
  checkModelEndpoint(app, options);
  const [control, dashboard] = [options.addr, options.dashboardAddr].map((typed) =>
    typed === undefined ? undefined : loopbackAddress(typed)
  );
  if (control && control.port !== 0 && control.port === dashboard?.port) {
    throw new Failure("usage", `Cannot listen twice on port ${control.port}`, {
      remedy: "Give --addr and --dashboard-addr different ports",
    });
  }
  const origin = trustedOriginOf(app, options);
  if (origin !== undefined) {
    const { trustedOrigin } = await app.load("src/http/own_hosts");
    trustedOrigin(origin);
  }
  if (options.node !== undefined) checkNodeName(options.node);
  await checkLogFile(options);
  if (options.db !== undefined) await refuseInsideRepo(options.db, "--db");
}
