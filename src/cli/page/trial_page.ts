/** The page of a trial: each command with its verdict, and what mends it. */
import type { TrialReport, Verdict } from "svc/features/harness/candidates/trial_report.ts";
import type { Page, Tone } from "./page.ts";

const TONES: Partial<Record<Verdict, Tone>> = {
  runs: "good",
  not_tried: "dim",
  cannot_fail: "bad",
};

export function showTrial({ commands }: TrialReport, page: Page): void {
  page.line();
  page.line("tried once in a fresh work tree (* is taken):");
  for (const { kind, name, run, source, verdict, said, remedy, seconds, chosen } of commands) {
    const mark = chosen ? "*" : " ";
    const what = page.tone(TONES[verdict] ?? "warn", verdict.replace("_", " "));
    const took = seconds > 0 ? ` in ${seconds} s` : "";
    const title = kind === "setup" ? `set-up ${name}` : name;
    page.line(`${mark} ${title}: ${run.join(" ")} (${source}): ${what}${took}`);
    if (verdict !== "not_tried") page.line(`    ${said}`);
    if (remedy !== undefined) page.line(`    ${page.tone("dim", "try:")} ${remedy}`);
  }
}
