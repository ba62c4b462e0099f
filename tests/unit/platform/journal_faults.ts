/** Ports that stop, as a killed process does: after some calls nothing more happens. */
import { denoFiles } from "svc/platform/files/files.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import type { JournalPorts } from "svc/platform/files/journal.ts";

export class Killed extends Error {}

/** How many more changing calls go through; at 0 the process is as good as dead. */
export interface Fuse {
  left: number;
}

const CHANGES = new Set([
  ...["writeAtomic", "appendLine", "makeFolder", "rename", "remove", "write"],
]);

/** Wraps a port: changing calls burn the fuse, and once it is burnt every call throws. */
export function fused<T extends object>(port: T, fuse: Fuse): T {
  return new Proxy(port, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (fuse.left <= 0) return Promise.reject(new Killed());
        if (CHANGES.has(String(name))) fuse.left--;
        return value.apply(target, args);
      };
    },
  });
}

/** A desk over a real repo folder and a real home; `fuse` says how long it lives. */
export async function deskAt(
  repo: string,
  home: string,
  fuse: Fuse = { left: Infinity },
): Promise<JournalPorts & Disposable> {
  const folder = await openFolder(repo);
  return {
    files: fused(denoFiles(), fuse),
    folder: fused(folder, fuse),
    journal: `${home}/journal`,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
