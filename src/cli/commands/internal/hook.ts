import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { showFindings } from "svc/cli/page/secret_findings.ts";
import { choice, required, text } from "svc/cli/flags.ts";
import { Failure } from "svc/core/failure.ts";
import { HOOKS } from "svc/features/guardrails/hooks.ts";
import { outgoing, pushedTips, staged } from "svc/features/guardrails/scan_sources.ts";
import { notClean, scanRepo } from "svc/features/guardrails/scan_repo.ts";
import { secretScanShape } from "svc/features/guardrails/secret_scan.ts";
import { MANIFEST_BYTES, MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { GitRepo } from "svc/platform/git/git.ts";

/** @throws Failure for a manifest that is not valid: it would stop the harness for all who pull the commit */
async function checkManifest(app: App, repo: GitRepo): Promise<void> {
  if (!(await repo.stagedFiles()).paths.includes(MANIFEST_PATH)) return;
  const entry = (await repo.indexEntries()).find(({ path }) => path === MANIFEST_PATH);
  const { readManifest } = await app.load("src/features/harness/manifest");
  await repo.catFiles(entry === undefined ? [] : [entry.oid], (blob) => {
    if (blob.state === "read") readManifest(new TextDecoder().decode(blob.bytes));
    else {
      throw new Failure("refused", `Cannot commit "${MANIFEST_PATH}": it is ${blob.state}`, {
        remedy: "Make it a small text file",
      });
    }
  }, MANIFEST_BYTES);
}

export default command({
  about: "What svc's git hooks run",
  examples: [{ line: "svc internal hook pre-commit", about: "as the hook does" }],
  effect: "reads",
  givenBy: { who: "anyone", because: "git runs it, inside a job too" },
  hidden: true,
  modes: ["json", "plain"],
  flags: {},
  args: {
    hook: required(choice(HOOKS, "Hook")),
    remote: text("remote", "Name of the remote, given to pre-push"),
    url: text("url", "Its URL, given to pre-push"),
  },
  result: secretScanShape,

  async run(app: App, { hook, remote = "" }) {
    const { env, git, signal, clock } = app;
    const commit = hook === "pre-commit";
    const index = commit ? env.get("GIT_INDEX_FILE") : undefined;
    const repo = await git.open(app.cwd(), { signal, ...(index && { index }) });
    using folder = await app.folder(repo.root);
    if (commit) await checkManifest(app, repo);
    const sources = commit
      ? staged(repo)
      : outgoing(repo, pushedTips(await app.readInput()), remote);
    return { ...await scanRepo(sources, { root: repo.root, folder, clock }), staged: commit };
  },

  exit: (report) => notClean(report) ? 1 : 0,

  show(report, page) {
    if (notClean(report)) showFindings(report, page);
  },
});
