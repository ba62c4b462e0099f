/** The closed lists of words in an anonymous report: a report can contain nothing else about a job. */
import { DISPOSITIONS, FAILURE_CATEGORIES } from "svc/core/disposition.ts";

export const REPORT_VERSION = 1;

/** Appended to the endpoint (spec section 4.5, rule 8). */
export const REPORT_PATH = "/v1/anonymous-telemetry/reports";

/** Bytes of one report; with every combination of its lists it has some 40 KiB. */
export const REPORT_BYTES = 64 * 1024;

/** Jobs that one row counts at most. */
export const REPORT_COUNT = 1_000_000;

/** A role of a repo's own may have any name, and is `custom`. */
export const REPORT_ROLES = [
  ...["ceo", "orchestrator", "engineer", "qa", "gardener", "custom"] as const,
] as const;
export type ReportRole = typeof REPORT_ROLES[number];

/** Where the model ran; `none`: the job asked none. */
export const REPORT_MODELS = ["local", "cloud", "fixture", "none"] as const;
export type ReportModel = typeof REPORT_MODELS[number];

/** `other`: a later svc's. */
export const REPORT_DISPOSITIONS = [...DISPOSITIONS, "other"] as const;
export const REPORT_CATEGORIES = [...FAILURE_CATEGORIES, "other"] as const;
export type ReportCategory = typeof REPORT_CATEGORIES[number];

export const REPORT_OS = ["linux", "darwin", "windows", "other"] as const;
export const REPORT_ARCH = ["x86_64", "aarch64", "other"] as const;

/** How long jobs took: each name with the seconds below which it counts. */
export const REPORT_DURATIONS = {
  under_10s: 10,
  under_1m: 60,
  under_5m: 300,
  under_30m: 1800,
  longer: Infinity,
} as const;
export type ReportDuration = keyof typeof REPORT_DURATIONS;

/** The value if it is in the list, or else the word for everything that is not. */
export function listed<const T extends string>(
  list: readonly T[],
  value: unknown,
  otherwise: NoInfer<T>,
): T {
  return list.find((one) => one === value) ?? otherwise;
}
