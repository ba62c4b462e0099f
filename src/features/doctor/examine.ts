/** Runs every probe; a failing one becomes a finding and never stops the others. */
import { Failure } from "svc/core/failure.ts";
import { codeHost } from "./code_host_probe.ts";
import { MACHINE_PROBES } from "./machine_probes.ts";
import {
  error,
  type FindingLevel,
  type Probe,
  type ProbeContext,
  type ProbeFinding,
} from "./probe.ts";
import { MODEL_PROBES } from "./model_probes.ts";
import { RELEASE_PROBES } from "./release_probes.ts";
import { REPO_PROBES } from "./repo_probes.ts";

export const PROBES: readonly Probe[] = [
  ...MACHINE_PROBES,
  ...REPO_PROBES,
  codeHost,
  ...MODEL_PROBES,
  ...RELEASE_PROBES,
];

interface ProbedFinding extends ProbeFinding {
  readonly probe: string;
}

interface Examination {
  readonly findings: readonly ProbedFinding[];
  readonly counts: Readonly<Record<FindingLevel, number>>;
}

async function findingsOf(probe: Probe, context: ProbeContext): Promise<readonly ProbeFinding[]> {
  try {
    return await probe.run(context);
  } catch (thrown) {
    const { code, message, remedy } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted") throw thrown;
    return [error(message, remedy)];
  }
}

export async function examine(
  probes: readonly Probe[],
  context: ProbeContext,
): Promise<Examination> {
  const findings: ProbedFinding[] = [];
  for (const probe of probes) {
    for (const finding of await findingsOf(probe, context)) {
      // Several probes read the config: what is wrong with it is told once.
      const told = findings.some(({ level, text }) => level === "error" && text === finding.text);
      if (!told) findings.push({ probe: probe.id, ...finding });
    }
  }
  const count = (level: FindingLevel) =>
    findings.filter((finding) => finding.level === level).length;
  return {
    findings,
    counts: { ok: count("ok"), warning: count("warning"), error: count("error") },
  };
}
