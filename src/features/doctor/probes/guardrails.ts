/** The guardrails of the target repo: hooks in place, baseline valid. */
import { ok, type Probe, warning } from "svc/features/doctor/probe.ts";
import { readBaseline } from "svc/features/guardrails/baseline.ts";
import { installedHooks } from "svc/features/guardrails/hooks.ts";

export const guardrails: Probe = {
  id: "guardrails",
  about: "git hooks and the secret baseline",
  async run({ repo, files, git }) {
    if (repo === undefined) return [];
    const installed = await installedHooks(
      files,
      repo.git,
      await git.userSetting("core.hooksPath"),
    );
    const missing = installed.filter(({ present }) => !present).map(({ hook }) => hook);
    const baseline = await readBaseline(repo.folder);
    return [
      missing.length === 0
        ? ok("the git hooks are installed")
        : warning(`no secret scan in ${missing.join(" and ")}`, "svc guardrails install-hooks"),
      ...(baseline === undefined
        ? []
        : [ok(`the secret baseline accepts ${baseline.findings.length} findings`)]),
    ];
  },
};
