/** Where the trace of a job is kept: `~/.svc/traces/<repo>/<job>.jsonl`. */
import { namedAfter } from "svc/core/path_parts.ts";
import type { Home } from "svc/platform/home.ts";

export function tracePath(
  { traces }: Pick<Home, "traces">,
  { root, id }: { readonly root: string; readonly id: string },
  jobId: string,
): string {
  return `${traces}/${namedAfter(root)}-${id}/${jobId}.jsonl`;
}
