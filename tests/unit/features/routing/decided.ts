/** Decides what follows a job of the harness that svc writes, from facts of which a test names a few. */
import { readManifest } from "svc/features/harness/manifest.ts";
import { HARNESS_TEXTS } from "svc/features/harness/defaults.ts";
import { decide, type RouteDecision, type RoutingFacts } from "svc/features/routing/decide.ts";

export const manifest = readManifest(
  HARNESS_TEXTS[".harness/manifest.yaml"]!.replaceAll("{{tool_version}}", "0.1.0")
    .replaceAll("{{name}}", "demo").replaceAll("{{branch}}", "main")
    .replace('"{{setup}}"', "[]").replace('"{{checks}}"', "[]"),
);

type Asked =
  & Partial<RoutingFacts["ended"]>
  & {
    readonly ticket?: Partial<RoutingFacts["ticket"]> | null;
    readonly mode?: "manual";
    readonly lost?: string;
    readonly goesOn?: boolean;
    readonly startable?: readonly string[];
    readonly roles?: RoutingFacts["manifest"]["roles"];
  };

export function decided(
  { ticket, mode, lost, goesOn = false, startable, roles = manifest.roles, ...ended }: Asked,
): RouteDecision {
  const facts = { id: "T-0001", state: "in-progress", rework: 0, attempts: 0 } as const;
  return decide({
    ended: {
      role: "engineer",
      disposition: "submitted",
      evidence: "done it",
      profile: "host",
      committed: true,
      checks: "passed",
      failedChecks: [],
      sameCommit: true,
      merged: false,
      uncommitted: [],
      objections: [],
      foreign: [],
      planned: true,
      ...ended,
    },
    ticket: ticket === null ? undefined : { ...facts, ...ticket },
    ...(lost !== undefined && { lost }),
    branch: "svc/T-0001-x",
    manifest: { roles, dispatch: { ...manifest.dispatch, ...(mode && { mode }) } },
    startable: startable ?? ["T-0002", "T-0003"],
    goesOn,
  });
}
