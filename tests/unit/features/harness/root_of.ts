/** A repo's root for detection, from names and texts alone. */
import type { RootFiles } from "svc/features/harness/root_files.ts";

export function rootOf(files: Readonly<Record<string, string>>): RootFiles {
  const names = new Set(
    Object.keys(files).flatMap((path) => {
      const parts = path.split("/");
      return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
    }),
  );
  return {
    has: (path) => names.has(path),
    matches: (pattern) => [...names].some((path) => pattern.test(path)),
    paths: (pattern) => [...names].filter((path) => pattern.test(path)).sort(),
    text: (path) => files[path] ?? "",
  };
}
