/** Building blocks of the shapes of answers: times are RFC 3339 in UTC, durations whole seconds, null means none. */
import type { z as Zod } from "zod";
import { COST_BASES } from "svc/core/cost.ts";

export type Z = typeof Zod;
export type AnswerShape = (z: Z) => Zod.ZodType;
export type ShapeOf<S extends AnswerShape> = Zod.infer<ReturnType<S>>;

export const time = (z: Z) => z.iso.datetime();
export const count = (z: Z) => z.int().min(0);

export const costShape = (z: Z) => ({
  cost_basis: z.enum(COST_BASES).nullable(),
  /** US dollars, by the prices when the job ended. */
  cost_usd: z.number().nullable(),
});
export const costSumShape = (z: Z) => ({
  ...costShape(z),
  /** Jobs without a known price, which `cost_usd` leaves out. */
  cost_unknown: count(z),
});

export function pick<T extends object, K extends keyof T>(row: T, ...names: K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<T, K>;
}
