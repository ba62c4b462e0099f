/** Whether anonymous reports are sent, and where: the environment before the config (spec section 5, rule 7). */
import { isLoopbackHost } from "svc/core/loopback.ts";
import type { Env } from "svc/platform/entrance.ts";

/** `telemetry` of the user's config. */
interface TelemetrySettings {
  readonly reporting: "off" | "anonymous";
  readonly endpoint?: string | undefined;
  readonly token?: string | undefined;
  readonly interval: string;
}

/** Setting → its variable. */
export const REPORTING_ENV = {
  reporting: "SVC_TELEMETRY_REPORTING",
  endpoint: "SVC_TELEMETRY_ENDPOINT",
  token: "SVC_TELEMETRY_TOKEN",
  interval: "SVC_TELEMETRY_INTERVAL",
} as const;
type Setting = keyof typeof REPORTING_ENV;

export type SaidByEnvironment = Readonly<Partial<Record<Setting, string>>>;

/** A variable without a value says nothing. */
export function saidByEnvironment(env: Pick<Env, "get">): SaidByEnvironment {
  const said = Object.entries(REPORTING_ENV).flatMap(([setting, name]) => {
    const value = env.get(name)?.trim();
    return value ? [[setting, value]] : [];
  });
  return Object.fromEntries(said);
}

type SettingSource = "environment" | "config" | "default";

export interface Reporting {
  readonly reporting: "off" | "anonymous";
  readonly endpoint: string | undefined;
  readonly token: string | undefined;
  /** As it is written: `24h`. */
  readonly interval: string;
  readonly from: Readonly<Record<Setting, SettingSource>>;
  /** Why nothing is sent; undefined exactly where reports are sent. */
  readonly silent: string | undefined;
}

const OFF = "nothing is sent from this machine";

/** RFC 6750, section 2.1. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
export const INTERVAL = /^[1-9]\d*(?:m|h|d)$/;
export const USUAL_INTERVAL = "24h";
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** @param interval matches `INTERVAL` */
export function intervalMs(interval: string): number {
  return Number(interval.slice(0, -1)) * UNIT_MS[interval.at(-1) as keyof typeof UNIT_MS];
}

/** Reports and the token go encrypted, or stay on this machine. */
function faultOf(endpoint: string): string | undefined {
  const url = URL.parse(endpoint);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return "the endpoint is no http or https URL";
  }
  if (url.username !== "" || url.password !== "") {
    return "the endpoint has a user or a password in it";
  }
  if (url.search !== "" || url.hash !== "") return 'the endpoint has a "?" or "#" in it';
  const near = url.hostname === "localhost" || isLoopbackHost(url.hostname);
  return url.protocol === "https:" || near ? undefined : "the endpoint is not https";
}

function silence({ reporting, endpoint, token, interval }: Omit<Reporting, "from" | "silent">) {
  if (reporting === "off") return "off, as it is by default";
  const fault = reporting !== "anonymous"
    ? `${REPORTING_ENV.reporting} is neither off nor anonymous`
    : endpoint === undefined
    ? "no telemetry.endpoint is configured"
    : faultOf(endpoint) ??
      (token !== undefined && !TOKEN.test(token)
        ? `the token (${REPORTING_ENV.token}) is none of RFC 6750`
        : INTERVAL.test(interval)
        ? undefined
        : `${REPORTING_ENV.interval} is no time such as 24h`);
  return fault === undefined ? undefined : `off, since ${fault}`;
}

/** Never throws: what is wrong about it silences it. */
export function reportingOf(
  said: SaidByEnvironment,
  { telemetry }: { readonly telemetry: TelemetrySettings },
): Reporting {
  const source = (setting: Setting, usual: string | undefined): SettingSource =>
    said[setting] !== undefined
      ? "environment"
      : telemetry[setting] === usual
      ? "default"
      : "config";
  const found = {
    reporting: (said.reporting ?? telemetry.reporting) as Reporting["reporting"],
    endpoint: said.endpoint ?? telemetry.endpoint,
    token: said.token ?? telemetry.token,
    interval: said.interval ?? telemetry.interval,
  };
  return {
    ...found,
    // An unknown value counts as `off`.
    reporting: found.reporting === "anonymous" ? "anonymous" : "off",
    from: {
      reporting: source("reporting", "off"),
      endpoint: source("endpoint", undefined),
      token: source("token", undefined),
      interval: source("interval", USUAL_INTERVAL),
    },
    silent: silence(found),
  };
}

/** The state of telemetry in one line, for `svc doctor` and `svc telemetry status`. */
export function reportingLine(
  { silent, endpoint }: Pick<Reporting, "silent" | "endpoint">,
): string {
  return silent === undefined
    ? `Telemetry is on: anonymous counts go to ${URL.parse(endpoint!)!.origin}`
    : `Telemetry is ${silent}: ${OFF}`;
}
