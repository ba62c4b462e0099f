/** The shape of an anonymous report: sender, collector and the published JSON Schema have it from here. */
import { z } from "zod";
import {
  REPORT_ARCH,
  REPORT_CATEGORIES,
  REPORT_COUNT,
  REPORT_DISPOSITIONS,
  REPORT_DURATIONS,
  REPORT_MODELS,
  REPORT_OS,
  REPORT_ROLES,
  REPORT_VERSION,
} from "./report_terms.ts";

const count = z.int().min(1).max(REPORT_COUNT);
const jobs = z.int().min(0).max(REPORT_COUNT);
/** UTC, by the day alone. */
const day = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/);

const role = z.enum(REPORT_ROLES);
const model = z.enum(REPORT_MODELS);

const durations = z.strictObject(
  Object.fromEntries(Object.keys(REPORT_DURATIONS).map((name) => [name, jobs])) as Record<
    keyof typeof REPORT_DURATIONS,
    typeof jobs
  >,
);

const KINDS = REPORT_ROLES.length * REPORT_MODELS.length;

export const Report = z.strictObject({
  schema_version: z.literal(REPORT_VERSION),
  /** Sent twice, a report counts once. */
  report_id: z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  tool_version: z.string().regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/),
  os: z.enum(REPORT_OS),
  arch: z.enum(REPORT_ARCH),
  window: z.strictObject({ from: day, to: day }),
  jobs: z.array(z.strictObject({ role, model, count, durations })).max(KINDS),
  outcomes: z.array(
    z.strictObject({ role, disposition: z.enum(REPORT_DISPOSITIONS), count }),
  ).max(REPORT_ROLES.length * REPORT_DISPOSITIONS.length),
  failures: z.array(
    z.strictObject({ role, model, category: z.enum(REPORT_CATEGORIES), count }),
  ).max(KINDS * REPORT_CATEGORIES.length),
});
export type Report = z.infer<typeof Report>;
