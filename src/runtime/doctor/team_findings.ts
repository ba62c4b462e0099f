/** What `svc doctor` says of the machines on a server's database, and of what is held back there. */
import { counted } from "svc/core/counted.ts";
import { pausedLanes } from "svc/features/jobs/lane_store.ts";
import { type NodeItem, nodesNow } from "svc/runtime/views/node_item.ts";
import type { StoredPorts } from "svc/runtime/ports.ts";

export interface TeamFinding {
  readonly level: "ok" | "warning";
  readonly text: string;
  readonly fix?: string;
}

const there = ({ condition }: NodeItem) => condition !== "gone" && condition !== "ended";

function ofNode({ name, condition, running, why, beat_age_secs }: NodeItem): TeamFinding[] {
  if (condition === "gone") {
    const jobs = running === 0 ? "" : `, and ${counted(running, "job")} ran there`;
    return [{
      level: "warning",
      text: `node ${name} is gone: it was heard ${beat_age_secs} s ago${jobs}`,
      fix: `Start svc there again, or: svc nodes forget ${name}`,
    }];
  }
  if (condition !== "waiting" || why === null) return [];
  return [{ level: "warning", text: `node ${name} waits: ${why}`, fix: "Mend it there" }];
}

function ofVersions(nodes: readonly NodeItem[]): TeamFinding[] {
  const byVersion = Map.groupBy(nodes.filter(there), ({ version }) => version);
  if (byVersion.size < 2) return [];
  const said = [...byVersion].map(([version, all]) =>
    `${version} (${all.map(({ name }) => name).join(", ")})`
  );
  return [{
    level: "warning",
    text: `its nodes run svc of several versions: ${said.join(", ")}`,
    fix: "Update them one after the other: svc nodes drain <name>, then start the new svc there",
  }];
}

/** Changes nothing. */
export async function teamFindings(ports: StoredPorts): Promise<TeamFinding[]> {
  const nodes = await nodesNow(ports);
  const held = (await pausedLanes(ports.db, ports.clock.now()))
    .filter(({ until }) => until === null); // the others go on by themselves
  const living = nodes.filter(there).length;
  return [
    { level: "ok", text: `${counted(living, "node")} of ${nodes.length} there` },
    ...nodes.flatMap(ofNode),
    ...ofVersions(nodes),
    ...held.map(({ kind, key, reason }): TeamFinding => ({
      level: "warning",
      text: `${kind} ${key} is held back: ${reason}`,
      fix: "Mend what it names, then: svc inbox",
    })),
  ];
}
