/** Where the trace of a job is kept: `~/.svc/traces/<repo>/<job>.jsonl`. */
import type { Home } from "svc/platform/home.ts";

export function tracePath(
  { traces }: Pick<Home, "traces">,
  { root, id }: { readonly root: string; readonly id: string },
  jobId: string,
): string {
  const name = root.slice(root.lastIndexOf("/") + 1) || "root";
  return `${traces}/${name}-${id}/${jobId}.jsonl`;
}
