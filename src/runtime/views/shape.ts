/** Building blocks of the shapes of answers: times are RFC 3339 in UTC, durations whole seconds, null means none. */
import type { z as Zod } from "zod";

export type Z = typeof Zod;
export type AnswerShape = (z: Z) => Zod.ZodType;
export type ShapeOf<S extends AnswerShape> = Zod.infer<ReturnType<S>>;

export const time = (z: Z) => z.iso.datetime();
export const count = (z: Z) => z.int().min(0);

export function pick<T extends object, K extends keyof T>(row: T, ...names: K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<T, K>;
}
