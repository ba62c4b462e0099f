/** What a confined command's Worker may do, as Deno enforces it; shown with `--debug`. */
import type { WorkerPermissions } from "svc/platform/confined/start_worker.ts";

const KINDS = ["net", "read", "write", "run", "env", "sys", "ffi", "import"] as const;

/** One line a kind; kinds of which nothing is granted share the last. */
export function permissionLines(permissions: WorkerPermissions): string[] {
  const listed = (kind: typeof KINDS[number]) => {
    const granted = permissions[kind];
    return Array.isArray(granted) ? granted.map(String) : [];
  };
  const none = KINDS.filter((kind) => listed(kind).length === 0);
  return [
    ...KINDS.flatMap((kind) => {
      const granted = listed(kind);
      return granted.length === 0 ? [] : [`permission ${kind}: ${granted.join(" ")}`];
    }),
    `permission ${none.join(", ")}: none; the repo and programs are reached through the broker`,
  ];
}
