import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, on, repo } from "svc/cli/flags.ts";
import { Failure } from "svc/core/failure.ts";
import { BASELINE_PATH } from "svc/features/guardrails/baseline.ts";
import { annotated, FORMATS, mayFormat } from "svc/cli/page/annotations.ts";
import { bareWorkers } from "svc/platform/confined/bare_worker.ts";
import { GAVE_UP_RULE, noteOf, showFindings } from "svc/cli/page/secret_findings.ts";
import { secretRules } from "svc/features/guardrails/secret_rules/all.ts";
import { notClean, scanRepo } from "svc/features/guardrails/scan_repo.ts";
import { secretScanShape } from "svc/features/guardrails/secret_scan.ts";
import { staged, workTree } from "svc/features/guardrails/scan_sources.ts";

export default command({
  about: "Scan for secrets: tokens, keys and passwords of 310 kinds",
  details:
    "Reads tracked files and untracked ones that git does not ignore, or with --staged what " +
    "the next commit would add: names, text in UTF-8, 16 and 32, one level of base64 and gzip, and " +
    "known shapes in other bytes; no file above 5 MiB. No value is ever printed: a finding shows its first characters, its " +
    "length and a fingerprint. Exit status: 0 clean, 1 findings, 2 usage. To accept a finding, write " +
    `"svc:allow" in a comment on its line, or list it in ${BASELINE_PATH} with --write-baseline; so ` +
    "too a file that took more processor time than its size allows, as long as it stays the same. " +
    "For what a role commits, both count once they stand on the default branch.",
  examples: [
    { line: "svc guardrails secret-scan", about: "the repo of the current folder" },
    { line: "svc guardrails secret-scan --staged", about: "what the next commit would add" },
    { line: "svc guardrails secret-scan --json | jq .findings", about: "for scripts" },
    {
      line: "svc guardrails secret-scan --format github",
      about: "annotations on the lines of a pull request, in GitHub Actions",
    },
    {
      line: "svc guardrails secret-scan --write-baseline",
      about: "accept all present findings, after a look at each",
    },
  ],
  effect: "writes_target",
  givenBy: {
    who: "person",
    because: "a baseline says which secrets are known",
    with: ["writeBaseline"],
  },
  modes: ["json", "plain"],
  flags: {
    repo,
    staged: on("Scan what is staged for commit instead of the work tree"),
    format: choice(FORMATS, "For people, as SARIF 2.1.0, or as annotations of GitHub Actions"),
    writeBaseline: on(`Write all present findings to ${BASELINE_PATH}, to be committed`),
  },
  result: secretScanShape,

  async run(app: App, asked) {
    if (asked.staged && asked.writeBaseline) {
      throw new Failure("usage", 'Cannot write a baseline of "--staged": it lists the whole tree', {
        remedy: "svc guardrails secret-scan --write-baseline",
      });
    }
    mayFormat(asked);
    const { signal, readTree } = app;
    const path = asked.repo ?? app.cwd();
    // Git tells a hook which index the commit uses (githooks(5)).
    const index = asked.staged ? app.env.get("GIT_INDEX_FILE") : undefined;
    const opened = await app.git.open(path, { signal, ...(index && { index }) });
    const progress = (text: string) => app.progress.update(text);
    const sources = asked.staged
      ? staged(opened)
      : workTree(opened, { readTree, signal, progress });
    using folder = await app.folder(opened.root);
    const report = await scanRepo(sources, {
      root: opened.root,
      folder,
      clock: app.clock,
      writeBaseline: asked.writeBaseline,
      workers: bareWorkers(app.url("src/features/scanner/scan_worker"), app.clock),
    });
    return { ...report, staged: asked.staged };
  },

  exit: (report) => report.baseline === undefined && notClean(report) ? 1 : 0,

  show(report, page, { format }) {
    const notes = report.findings.map(noteOf);
    if (!annotated(format, notes, [...secretRules(), GAVE_UP_RULE], page)) {
      showFindings(report, page);
    }
  },
});
