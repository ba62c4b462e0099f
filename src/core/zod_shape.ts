/** The keys that a zod shape knows, for "did you mean" and for warnings. */
import { z } from "zod";

export function objectIn(shape: unknown): z.ZodObject | undefined {
  let at = shape;
  while (at instanceof z.ZodPrefault || at instanceof z.ZodDefault || at instanceof z.ZodOptional) {
    at = at.unwrap();
  }
  return at instanceof z.ZodObject ? at : undefined;
}

/** @param keyPath keys joined by dots; "" is the shape itself */
export function keysAt(shape: unknown, keyPath: string): readonly string[] {
  const at = keyPath === "" ? shape : keyPath.split(".")
    .reduce<unknown>((inner, key) => objectIn(inner)?.shape[key], shape);
  return Object.keys(objectIn(at)?.shape ?? {});
}
