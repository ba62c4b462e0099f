/** Calls of the C library for which Deno has only Node's API, whose parts take 30 ms and 13 MiB. */

const LIBC = {
  open: { parameters: ["buffer", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  // A network's file system may let it wait.
  statvfs: { parameters: ["buffer", "buffer"], result: "i32", nonblocking: true },
} as const;

export type Libc = Deno.DynamicLibrary<typeof LIBC>["symbols"];

let opened: { readonly symbols?: Libc } | undefined;

/** Undefined where glibc is not the C library, and in a Worker without the right to call it. */
export function libc(): Libc | undefined {
  if (opened !== undefined) return opened.symbols;
  try {
    opened = { symbols: Deno.dlopen("libc.so.6", LIBC).symbols };
  } catch {
    opened = {};
  }
  return opened.symbols;
}

const encoder = new TextEncoder();

/** Undefined for a path with a NUL, which ends a C string. */
export function cString(text: string): Uint8Array<ArrayBuffer> | undefined {
  return text.includes("\0") ? undefined : encoder.encode(`${text}\0`);
}
