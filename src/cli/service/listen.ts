/** Addresses and secrets of a service's two listeners, and what it does about an occupied port. */
import type { App } from "svc/app.ts";
import { CONTROL_PORT, CONTROL_SECRET_BYTES, DASHBOARD_PORT } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { loopbackAddress } from "svc/core/loopback.ts";
import {
  REPORTING_ENV,
  type SaidByEnvironment,
  saidByEnvironment,
} from "svc/features/settings/reporting.ts";
import type { Shape } from "svc/runtime/service/plan.ts";

export interface Secrets {
  readonly github: string | undefined;
  readonly linear: string | undefined;
  readonly dashboard: string | undefined;
}

/** Reads the secrets once and removes them from the environment. */
export function takeSecrets({ env }: Pick<App, "env">): Secrets {
  const take = (name: string) => {
    const value = env.get(name);
    env.forget(name);
    return value === "" ? undefined : value;
  };
  return {
    github: take("SVC_GITHUB_WEBHOOK_SECRET"),
    linear: take("SVC_LINEAR_WEBHOOK_SECRET"),
    dashboard: take("SVC_DASHBOARD_CONTROL_SECRET"),
  };
}

/** The token goes from the environment, as the secrets do. */
export function takeReporting({ env }: Pick<App, "env">): SaidByEnvironment {
  const said = saidByEnvironment(env);
  env.forget(REPORTING_ENV.token);
  return said;
}

/** Warnings about secrets that do not count or are weak; they name variables, never values. */
export async function secretWarnings(
  app: Pick<App, "load" | "stderr">,
  { dashboard }: Pick<Secrets, "dashboard">,
): Promise<string[]> {
  if (dashboard === undefined) {
    // In a log nobody could act on it, and a service may be meant to have none.
    if (!app.stderr.terminal) return [];
    return [
      "the dashboard is locked, since SVC_DASHBOARD_CONTROL_SECRET is not set; to open it, stop svc, " +
      'run eval "$(svc dashboard secret)", and start it again',
    ];
  }
  const name = "SVC_DASHBOARD_CONTROL_SECRET";
  const { controlSecret, isWeak } = await app.load("src/http/control_secret");
  if (controlSecret(dashboard) === undefined) {
    const { byteLength } = new TextEncoder().encode(dashboard);
    const needs = `has ${byteLength} bytes and needs ${CONTROL_SECRET_BYTES}`;
    return [`${name} ${needs}: it does not count, and nobody can log in`];
  }
  if (!isWeak(dashboard)) return [];
  return [`${name} is weak: one character repeated can be guessed; use openssl rand -base64 32`];
}

/** Accounts that svc itself acts with; webhooks ignores what they do. */
export function ownAccounts({ env }: Pick<App, "env">) {
  const names = (variable: string) =>
    (env.get(variable) ?? "").split(",").map((name) => name.trim()).filter((name) => name !== "");
  return { github: names("SVC_GITHUB_BOT"), linear: names("SVC_LINEAR_BOT") };
}

const PORTS = { control: CONTROL_PORT, dashboard: DASHBOARD_PORT };

/** The default address, with the port of the user's config; without a config file none is parsed, which saves 35 ms. */
export async function usualAddress(
  app: Pick<App, "files" | "home" | "settings">,
  of: keyof typeof PORTS,
): Promise<string> {
  const configured = await app.files.stat(app.home.config) !== undefined;
  return `127.0.0.1:${(configured ? (await app.settings()).ports : PORTS)[of]}`;
}

interface AddressRequest {
  readonly typed: string | undefined;
  readonly flag: "--addr" | "--dashboard-addr";
  readonly usual: string;
  readonly shape: Shape;
}

/** Only `start` on a default port goes round an occupied one: what talks to `serve`, or to a typed address, would not find it elsewhere. @throws Failure `conflict` */
export function listenAt<T>(
  { typed, flag, usual, shape }: AddressRequest,
  listen: (addr: string) => T,
): T {
  try {
    return listen(typed ?? usual);
  } catch (thrown) {
    const failure = Failure.from(thrown);
    if (failure.code !== "conflict") throw thrown;
    if (typed === undefined && shape === "start") return listen("127.0.0.1:0");
    throw new Failure("conflict", failure.message, {
      cause: thrown,
      remedy: `Stop the program that uses it, or choose another port: ${flag} 127.0.0.1:0 takes ` +
        "a free one",
    });
  }
}

/** Binds an address and lets it go. @throws Failure as `listenAt` */
export async function bindOnce({ load }: Pick<App, "load">, asked: AddressRequest): Promise<void> {
  const { tryAddress } = await load("src/platform/net/listen");
  listenAt(asked, (addr) => tryAddress(loopbackAddress(addr)));
}

/** The addresses that a person typed for `svc start`; it goes round its default ones. @throws Failure as `listenAt` */
export async function mustAllBeFree(
  app: Pick<App, "load">,
  { addr, dashboardAddr }: { addr: string | undefined; dashboardAddr: string | undefined },
): Promise<void> {
  const typed = [["--addr", addr], ["--dashboard-addr", dashboardAddr]] as const;
  for (const [flag, address] of typed) {
    if (address === undefined) continue;
    await bindOnce(app, { typed: address, flag, usual: address, shape: "start" });
  }
}
