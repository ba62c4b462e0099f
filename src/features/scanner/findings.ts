/** Runs the rules and gives each finding a fingerprint that survives moving lines. */
import { compareText } from "svc/core/order.ts";
import { nodeCrypto } from "svc/platform/node_crypto.ts";
import type { Gap } from "./facts.ts";
import type { ScanFinding } from "./report.ts";
import { type ScannedRepo, type ScanRule, SEVERITIES } from "./rule.ts";

function* foundBy(rule: ScanRule, repo: ScannedRepo): Generator<Gap> {
  if (rule.scope === "repo") yield* rule.check(repo);
  else {
    for (const [path, { found }] of repo.files) {
      for (const one of found?.[rule.id] ?? []) yield { ...one, path };
    }
  }
}

/** At once: a thread for each of thousands takes ten times as long. */
function fingerprintOf(text: string): string {
  return nodeCrypto().hash("sha256", text, "hex").slice(0, 16);
}

function shown(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").slice(0, 300);
}

/** @param name tells the gap from all others of the rule */
function finding(
  rule: ScanRule,
  { path, line, title, detail, fix }: Gap,
  name: string,
): ScanFinding {
  return {
    rule: rule.id,
    severity: rule.severity,
    ...(path !== undefined && { path }),
    ...(line !== undefined && { line }),
    title: shown(title),
    ...(detail !== undefined && { detail: shown(detail) }),
    fix: shown(fix ?? rule.fix),
    fingerprint: fingerprintOf(`${rule.id}\0${name}`),
  };
}

/** Worst first, then by rule, path and line. */
export function findingsOf(rules: readonly ScanRule[], repo: ScannedRepo): ScanFinding[] {
  const findings: ScanFinding[] = [];
  const ordered = rules.toSorted((a, b) =>
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
  );
  for (const rule of ordered) {
    const found = [...foundBy(rule, repo)].sort((a, b) =>
      compareText(a.path ?? "", b.path ?? "") || (a.line ?? 0) - (b.line ?? 0)
    );
    const seen = new Map<string, number>();
    for (const gap of found) {
      const name = `${gap.path ?? ""}\0${gap.key}`;
      const nth = seen.get(name) ?? 0;
      seen.set(name, nth + 1);
      findings.push(finding(rule, gap, `${name}\0${nth}`));
    }
  }
  return findings;
}
