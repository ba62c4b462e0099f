/** Writes a validation report as Markdown and JSON: into the repo, or into the folder that a person names. */
import type { App } from "svc/app.ts";

/** Spec section 2.1. */
export const REPORTS_PATH = "docs/validation/reports";

interface ReportTexts {
  /** The name of both files, without their ends. */
  readonly name: string;
  readonly markdown: string;
  readonly json: unknown;
}

interface ReportPlace {
  /** Root of the repo; without it the svc home takes the report. */
  readonly root: string | undefined;
  /** `--report-dir`; absolute. */
  readonly reportDir: string | undefined;
}

export interface SavedReport {
  /** Absolute paths. */
  readonly markdown: string;
  readonly json: string;
}

/** @throws Failure where the folder takes no file, and for a report of that name */
export async function saveReport(
  app: Pick<App, "files" | "folder" | "home" | "redact">,
  { root, reportDir }: ReportPlace,
  { name, markdown, json }: ReportTexts,
): Promise<SavedReport> {
  const texts = {
    md: app.redact(markdown),
    json: app.redact(`${JSON.stringify(json, null, 2)}\n`),
  };
  if (reportDir === undefined && root !== undefined) {
    using folder = await app.folder(root);
    await folder.makeFolder(REPORTS_PATH);
    for (const [end, text] of Object.entries(texts)) {
      const bytes = new TextEncoder().encode(text);
      await folder.write(`${REPORTS_PATH}/${name}.${end}`, bytes, { expected: null });
    }
    return placesIn(`${root}/${REPORTS_PATH}`, name);
  }
  const dir = reportDir ?? `${app.home.root}/reports`;
  await app.files.makeFolder(dir);
  for (const [end, text] of Object.entries(texts)) {
    await app.files.writeAtomic(`${dir}/${name}.${end}`, text, { mode: 0o644 });
  }
  return placesIn(dir, name);
}

const placesIn = (dir: string, name: string): SavedReport => ({
  markdown: `${dir}/${name}.md`,
  json: `${dir}/${name}.json`,
});
