/** What the commands that change a harness have in common: the shape of their result, and its page. */
import { counted } from "svc/core/counted.ts";
import type { z } from "zod";
import type { App } from "svc/app.ts";
import type { SettledOperation } from "svc/platform/files/journal.ts";
import type { Immutable } from "svc/core/immutable.ts";
import type { Page, Tone } from "./page.ts";

export const reportShape = (zod: typeof z) => ({
  repo: zod.string(),
  dry_run: zod.boolean(),
  changes: zod.array(zod.strictObject({
    path: zod.string(),
    change: zod.enum(["create", "replace", "refresh", "edit", "remove"]),
    diff: zod.string().exactOptional(),
  })),
  kept: zod.array(zod.strictObject({ path: zod.string(), why: zod.string() })),
  earlier: zod.array(zod.strictObject({
    operation: zod.string(),
    outcome: zod.enum(["finished", "undone", "pending"]),
    edited: zod.array(zod.string()),
  })),
  backups: zod.string().exactOptional(),
});

type HarnessReport = Immutable<z.infer<z.ZodObject<ReturnType<typeof reportShape>>>>;

const TONES: Readonly<Record<string, Tone>> = { "+": "good", "-": "bad", "@": "dim" };

export function showDiff(diff: string, page: Page): void {
  for (const line of diff.trimEnd().split("\n")) {
    const tone = TONES[line[0] ?? ""];
    page.line(tone === undefined ? line : page.tone(tone, line));
  }
}

function showEarlier(earlier: readonly SettledOperation[], page: Page): void {
  for (const { operation, outcome, edited } of earlier) {
    const what = outcome === "pending"
      ? `svc ${operation} was cut short; the next command that writes finishes or undoes it`
      : `svc ${operation} had been cut short and was ${outcome} first`;
    page.line(`${page.tone("warn", "note:")} ${what}`);
    for (const path of edited) page.line(`  ${path} was edited meanwhile and stays as it is`);
  }
}

export function showReport(report: HarnessReport, page: Page): void {
  const { changes, kept, earlier, backups, dry_run } = report;
  showEarlier(earlier, page);
  if (changes.length > 0) {
    page.table(
      [dry_run ? "would" : "done", "path"],
      changes.map(({ path, change }) => [change, path]),
    );
  }
  for (const { diff } of changes) if (diff !== undefined && diff !== "") showDiff(diff, page);
  if (kept.length > 0) {
    page.line();
    page.table(["left alone", "why"], kept.map(({ path, why }) => [path, why]));
  }
  if (backups !== undefined) page.line(`What was replaced or removed is in ${backups}`);
}

export function sayFollowed({ stderr }: Pick<App, "stderr">, from: string): void {
  stderr.write(`the repo was at ${from} before; its registration, jobs and scores came along\n`);
}

export function sayScaffolded({ stderr }: Pick<App, "stderr">, files: number): void {
  stderr.write(`wrote a harness of ${counted(files, "file")} and committed it\n`);
}
