import { openCheckout } from "svc/platform/git/checkout.ts";
import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, on, repo } from "svc/cli/flags.ts";
import { annotated, FORMATS, mayFormat } from "svc/cli/page/annotations.ts";
import { noteOf, showScan } from "svc/cli/page/scan.ts";
import { RULES } from "svc/features/scanner/rules/all.ts";
import { bareWorkers } from "svc/platform/confined/bare_worker.ts";
import { scanShape } from "svc/features/scanner/report.ts";
import { scan } from "svc/features/scanner/scan.ts";

export default command({
  about: "Scan a repo for gaps: docs, tests, CI, secrets, dependencies, harness",
  details:
    "Reads tracked files and untracked ones that git does not ignore; files that have not changed " +
    "since the last scan are not read again. It runs nothing of the repo, and changes nothing " +
    "unless --tickets asks for tickets: one for each rule and top-level folder, in one commit, " +
    "and none for a gap that an open ticket covers. Exit status: 0 the scan ran, whatever it " +
    "found; 2 usage; 5 no repo. To fail a build on gaps, use the JSON: jq -e '.counts.high == 0'.",
  examples: [
    { line: "svc scan", about: "the repo of the current folder" },
    { line: "svc scan --tickets --dry-run", about: "which tickets it would write" },
    { line: "svc scan --repo ~/work/app --tickets", about: "writes them to the backlog" },
    { line: "svc scan --format sarif > gaps.sarif", about: "for GitHub's code scanning" },
    {
      line: "svc scan --json | jq '.findings[] | select(.severity == \"high\")'",
      about: "for scripts",
    },
  ],
  effect: "writes_target",
  givenBy: {
    who: "person",
    because: "roles work on tickets of a scan as on a person's",
    with: ["tickets"],
  },
  modes: ["json", "plain", "dry-run"],
  flags: {
    repo,
    format: choice(FORMATS, "For people, as SARIF 2.1.0, or as annotations of GitHub Actions"),
    tickets: on("Write the gaps to the backlog, as few tickets as possible, each gap once"),
  },
  result: scanShape,

  async run(app: App, asked) {
    const { signal, clock, files, home, readTree } = app;
    mayFormat(asked);
    using checkout = await openCheckout(app, asked.repo ?? app.cwd());
    const report = await scan({
      repo: checkout.git,
      folder: checkout.folder,
      files,
      home,
      readTree,
      clock,
      signal,
      dryRun: asked.dryRun,
      workers: bareWorkers(app.url("src/features/scanner/scan_worker"), clock),
      progress: (text) => app.progress.update(text),
      async parseManifest(text) {
        const { readManifest } = await app.load("src/features/harness/manifest");
        return readManifest(text);
      },
    });
    if (!asked.tickets) return report;
    app.progress.update("writing tickets");
    // Loaded by path, since tickets load zod and YAML.
    const { writeTickets } = await app.load("src/features/scanner/write_tickets");
    return { ...report, tickets: await writeTickets(checkout, report.findings, asked) };
  },

  show(report, page, { format }) {
    const notes = report.findings.map(noteOf);
    if (!annotated(format, notes, RULES, page)) showScan(report, page);
  },
});
