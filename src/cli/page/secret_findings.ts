/** Prints what a secret scan found, without any secret's value. */
import { notClean } from "svc/features/guardrails/scan_repo.ts";
import { GAVE_UP } from "svc/features/guardrails/scan_file.ts";
import type { SecretScanReport } from "svc/features/guardrails/secret_scan.ts";
import type { Note } from "./annotations.ts";
import type { Page } from "./page.ts";

function megabytes(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

const count = (many: number, one: string) => `${many} ${many === 1 ? one : `${one}s`}`;

function countLine({ counts }: SecretScanReport): string {
  const skipped = Object.entries(counts.skipped).filter(([, count]) => count > 0)
    .map(([reason, count]) =>
      reason === "binary"
        ? `${count} binary but for known shapes`
        : `${count} ${reason.replace("_", " ")}`
    );
  const parts = [
    `${count(counts.files, "file")}, ${megabytes(counts.bytes)}`,
    skipped.length > 0 && `skipped: ${skipped.join(", ")}`,
    counts.baselined > 0 && `${counts.baselined} in the baseline`,
    counts.stale > 0 && `${counts.stale} of the baseline gone`,
    counts.allowed > 0 && `${counts.allowed} allowed on their line`,
  ];
  return parts.filter((part) => part).join(" · ");
}

export const GAVE_UP_RULE = {
  id: GAVE_UP,
  about: "A file took more time than its size allows, so not all rules have searched it",
};

/** For programs that show findings beside the code. */
export function noteOf(
  { rule, path, line, column, redacted, fingerprint }: SecretScanReport["findings"][number],
): Note {
  const text = rule === GAVE_UP
    ? `The search for secrets took too long: ${redacted}`
    : `A secret of kind ${rule}: ${redacted}`;
  return { rule, level: "error", path, line, column, text, fingerprint };
}

export function showFindings(report: SecretScanReport, page: Page): void {
  const { findings, timeouts, baseline, staged } = report;
  if (findings.length > 0) {
    page.table(
      ["rule", "place", "value", "fingerprint"],
      findings.map(({ rule, path, line, column, redacted, fingerprint }) => [
        page.tone("bad", rule),
        `${path}:${line}:${column}`,
        redacted,
        fingerprint,
      ]),
    );
    page.line();
  }
  for (const { rule, path } of timeouts) {
    page.line(`${page.tone("warn", "gave up:")} rule ${rule} ran out of its time in ${path}`);
  }
  const clean = !notClean(report);
  const verdict = clean ? "no secrets found" : count(findings.length, "finding");
  page.line(`${page.tone(clean ? "good" : "bad", verdict)} · ${countLine(report)}`);
  if (baseline !== undefined) {
    page.line(`wrote ${baseline.entries} accepted to ${baseline.path}`);
    page.next(`git add ${baseline.path}`);
  } else if (findings.some(({ rule }) => rule === GAVE_UP)) {
    page.next(
      "make the file smaller or split it, or accept it: " +
        "svc guardrails secret-scan --write-baseline",
    );
  }
  if (baseline === undefined && findings.some(({ rule }) => rule !== GAVE_UP)) {
    page.next(
      `take the value out${
        staged ? " and stage the file again" : ""
      }, and revoke it where it was ` +
        'issued; accept a false alarm with "svc:allow" in a comment on its line',
    );
  }
}
