/** Building blocks of the shapes of answers: times are RFC 3339 in UTC, durations whole seconds, null means none. */
import type { z as Zod } from "zod";

export type Z = typeof Zod;
export type Shape = (z: Z) => Zod.ZodType;
export type ShapeOf<S extends Shape> = Zod.infer<ReturnType<S>>;

export const time = (z: Z) => z.iso.datetime();
export const count = (z: Z) => z.int().min(0);
