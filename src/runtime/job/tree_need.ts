/** Says whether a role needs a work tree of its own. */
import type { Profile } from "svc/core/permission.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { TOOLS } from "svc/features/tools/all.ts";

/** svc commits these to the checkout itself. */
const BY_SVC: ReadonlySet<string> = new Set(["ticket_create", "record_decision"]);

function worksOnFiles({ name, capability }: Pick<AnyTool, "name" | "capability">): boolean {
  return capability !== "read" && capability !== "finish" && !BY_SVC.has(name);
}

/** An unknown tool is one of the repo, which starts a program. */
export function needsOwnTree(profile: Profile, tools: readonly string[]): boolean {
  if (profile !== "host") return false;
  const known = new Map(TOOLS.map((tool) => [tool.name, tool]));
  return tools.some((name) => {
    const tool = known.get(name);
    return tool === undefined || worksOnFiles(tool);
  });
}
