/** Probes of releases: whether they can be read, and what is behind them. */
import { ok, type Probe, type ProbeFinding, warning } from "./probe.ts";

const releaseAccess: Probe = {
  id: "release-access",
  about: "whether the releases of svc can be read",
  async run({ releases }) {
    const found = await releases.access();
    if (found === undefined) return [ok("not asked: --skip-remote")];
    const { access, endpoint, credential, reason, remedy } = found;
    if (access === "unavailable") return [warning(`unavailable: ${reason}`, remedy)];
    return [ok(`${access}${credential === null ? "" : `, with ${credential}`}: ${endpoint}`)];
  },
};

const STATES = {
  missing: "is missing",
  outdated: "is of an older svc",
  offered: "has a newer default",
} as const;

/** Files that are named one by one; `svc update check` names all. */
const NAMED_FILES = 5;

const updateDrift: Probe = {
  id: "update-drift",
  about: "whether svc and the repo's harness are behind",
  async run({ releases, repo }) {
    const { tool, harness } = await releases.drift();
    const findings: ProbeFinding[] = [
      tool.drift === "behind"
        ? warning(`svc ${tool.installed} is behind ${tool.latest}`, "svc update tool --dry-run")
        : tool.drift === "unknown"
        ? ok(`svc ${tool.installed}; the newest release is not known: ${tool.reason}`)
        : ok(`svc ${tool.installed} is not behind ${tool.latest}`),
    ];
    if (harness === undefined) return findings;
    if (harness.drift === "current") {
      return [...findings, ok("the harness is as this svc writes it")];
    }
    if (harness.drift === "ahead") {
      const text = `the harness is of svc ${harness.version}, newer than this one`;
      return [...findings, warning(text, "svc update tool --dry-run")];
    }
    const { files, version } = harness;
    const named = files.slice(0, NAMED_FILES).map(({ path, state }) => `${path} ${STATES[state]}`);
    const more = files.length > named.length ? [`${files.length - named.length} more`] : [];
    const what = [...named, ...more].join(", ") || `it was made by svc ${version}`;
    const fix = `svc update harness --dry-run${repo?.place ?? ""}`;
    return [...findings, warning(`the harness is behind: ${what}`, fix)];
  },
};

export const RELEASE_PROBES: readonly Probe[] = [releaseAccess, updateDrift];
