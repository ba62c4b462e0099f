/** Runs every probe; one that fails is a finding of its own and never stops the others. */
import { Failure } from "svc/core/failure.ts";
import type { Finding, Ground, Level, Probe } from "./probe.ts";
import { error } from "./probe.ts";

export interface Examined extends Finding {
  readonly probe: string;
}

export interface Examination {
  readonly findings: readonly Examined[];
  readonly counts: Readonly<Record<Level, number>>;
}

async function findingsOf(probe: Probe, ground: Ground): Promise<readonly Finding[]> {
  try {
    return await probe.run(ground);
  } catch (thrown) {
    const { code, message, remedy } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted") throw thrown;
    return [error(message, remedy)];
  }
}

export async function examine(probes: readonly Probe[], ground: Ground): Promise<Examination> {
  const findings: Examined[] = [];
  for (const probe of probes) {
    for (const finding of await findingsOf(probe, ground)) {
      findings.push({ probe: probe.id, ...finding });
    }
  }
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  return {
    findings,
    counts: { ok: count("ok"), warning: count("warning"), error: count("error") },
  };
}
