/** The flags that `svc start` and `svc serve` share. */
import { ENGINE_CONCURRENCY } from "svc/core/bounds.ts";
import { on, otherwise, path, text, whole } from "./flags.ts";
import { profileFlags } from "./profile_flags.ts";

export const serviceFlags = {
  concurrency: otherwise(
    whole("n", "Most jobs at a time", { min: 1, max: 64 }),
    ENGINE_CONCURRENCY,
  ),
  modelEndpoint: text("url", "OpenAI-compatible endpoint for all jobs, above every route"),
  codeIntel: on("Name files, definitions and tests in the prompts that have to do with the work"),
  addr: text("ip:port", "Address for webhooks and health; loopback (default: 127.0.0.1:9090)"),
  dashboardAddr: text("ip:port", "Address of the dashboard; loopback (default: 127.0.0.1:9091)"),
  dashboardTrustedOrigin: text(
    "origin",
    "The https origin of a reverse proxy before the dashboard " +
      "(default: $SVC_DASHBOARD_TRUSTED_ORIGIN)",
  ),
  debug: on("Stream what happens line by line instead of the live screen"),
  logFile: path("file", "Write the command log here; outside the repo"),
  ...profileFlags,
};

/** What a service loads in its Worker before it answers. */
export const SERVICE_MODULES = [
  "src/cli/service_run",
  "src/http/control",
  "src/runtime/service/service",
  "src/http/dashboard",
  "src/runtime/views/open_reads",
] as const;
