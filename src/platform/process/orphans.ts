/** The first process of a container is handed what its descendants leave behind (pid_namespaces(7)); where it collects
 * nothing that ended, each stays a zombie and keeps its number. */

import { every } from "svc/platform/timers.ts";

/** Deno collects the children that it started within a moment. What is there twice is nobody's. */
const EVERY_MS = 10_000;

const WNOHANG = 1;

const LIBC = { waitpid: { parameters: ["i32", "pointer", "i32"], result: "i32" } } as const;

/** Children of `parent` that ended and were not collected; with the time of their start, as pids are reused. */
function zombiesOf(parent: number): Map<string, number> {
  const found = new Map<string, number>();
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = Deno.readTextFileSync(`/proc/${name}/stat`);
      // The name in parentheses may hold anything, also ") ".
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [state, above] = fields;
      if (state === "Z" && Number(above) === parent) {
        found.set(`${name} ${fields[19]}`, Number(name));
      }
    } catch {
      // It ended between the listing and here.
    }
  }
  return found;
}

/** @returns the zombies that the next look may collect, if they are still there */
export function collectOrphans(
  libc: Deno.DynamicLibrary<typeof LIBC>["symbols"],
  seen: ReadonlySet<string>,
): ReadonlySet<string> {
  const zombies = zombiesOf(Deno.pid);
  for (const [id, pid] of zombies) {
    if (seen.has(id) && libc.waitpid(pid, null, WNOHANG) === pid) zombies.delete(id);
  }
  return new Set(zombies.keys());
}

/** Undefined where glibc is not the C library, or may not be called. */
export function openWaitpid() {
  try {
    return Deno.dlopen("libc.so.6", LIBC);
  } catch {
    return undefined;
  }
}

/** Until it is disposed of. */
export function keepCollecting(): Disposable {
  const libc = openWaitpid();
  if (libc === undefined) return { [Symbol.dispose]() {} };
  let seen: ReadonlySet<string> = new Set();
  const timer = every(EVERY_MS, () => seen = collectOrphans(libc.symbols, seen));
  return {
    [Symbol.dispose]() {
      timer.clear();
      libc.close();
    },
  };
}
