import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { on, repo, text } from "svc/cli/flags.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { releaseAccess } from "svc/features/access/release_access.ts";
import { releaseCredential, releaseUrl } from "svc/features/access/release_place.ts";
import { toolDrift } from "svc/features/access/tool_drift.ts";
import { harnessDrift } from "svc/features/harness/drift.ts";
import { openHarnessTarget } from "svc/features/harness/operate.ts";
import { isReleaseUrl, RELEASE_URL_FORM } from "svc/features/settings/release_url.ts";

const STATES = {
  missing: "missing",
  outdated: "outdated, unchanged by anybody",
  offered: "yours; a newer default is there",
} as const;

function checkedUrl(url: string): string {
  if (isReleaseUrl(url)) return url;
  throw new Failure("usage", `Cannot ask ${quoted(url)} for releases: it ${RELEASE_URL_FORM}`, {
    remedy:
      "svc update check --latest-release-url https://api.github.com/repos/o/r/releases/latest",
  });
}

async function latestAt(app: App, asked: { readonly latestReleaseUrl: string | undefined }) {
  const named = asked.latestReleaseUrl && checkedUrl(asked.latestReleaseUrl);
  const settings = await app.settings();
  const usual = releaseUrl(settings);
  const url = named ?? usual;
  // The stored credential belongs to the host that the config names.
  const own = new URL(url).origin === new URL(usual).origin;
  return await releaseAccess(
    app,
    url,
    async () => own ? await releaseCredential(app, settings) : undefined,
  );
}

/** Undefined where the current folder is no repo; a repo that is named must be one. */
async function targetOf(app: App, named: string | undefined) {
  try {
    return await openHarnessTarget(app, named ?? app.cwd());
  } catch (thrown) {
    if (named === undefined && Failure.from(thrown).code === "environment") return undefined;
    throw thrown;
  }
}

export default command({
  about: "Report how far the installed svc and a repo's harness are behind",
  details:
    "Compares the installed svc with the newest release, and the repo's harness with what this svc " +
    "would write today, file by file. It changes nothing. Exit status 1 means that something is behind.",
  examples: [
    { line: "svc update check", about: "svc, and the repo of the current folder" },
    { line: "svc update check --skip-remote --json", about: "the harness alone, for scripts" },
  ],
  effect: "reads",
  net: { to: "ask the code host for the newest release", withoutFlag: "skipRemote" },
  givenBy: { who: "anyone", because: "it only looks" },
  modes: ["json", "plain"],
  flags: {
    repo,
    latestReleaseUrl: text("url", "Where the newest release is announced (default: the config's)"),
    skipRemote: on("Do not ask for the newest release"),
  },
  result: (z) =>
    z.strictObject({
      tool: z.strictObject({
        installed: z.string(),
        build: z.enum(["source", "portable", "compiled"]),
        /** Folder of the running program. */
        root: z.string(),
        latest: z.string().nullable(),
        drift: z.enum(["current", "behind", "ahead", "unknown"]),
        reason: z.string().nullable(),
      }),
      /** Null where there is no harness. */
      harness: z.strictObject({
        repo: z.string(),
        version: z.string().nullable(),
        drift: z.enum(["current", "behind", "ahead"]),
        files: z.array(z.strictObject({
          path: z.string(),
          state: z.enum(["missing", "outdated", "offered"]),
        })),
      }).nullable(),
    }),

  async run(app: App, asked) {
    const access = asked.skipRemote ? undefined : await latestAt(app, asked);
    const { build, root } = app.runtime;
    using target = await targetOf(app, asked.repo);
    return {
      tool: { build, root, ...toolDrift(access) },
      harness: target === undefined ? null : await harnessDrift(target) ?? null,
    };
  },

  exit: ({ tool, harness }) => tool.drift === "behind" || harness?.drift === "behind" ? 1 : 0,

  show({ tool, harness }, page) {
    const { installed, latest, drift, reason } = tool;
    const than = latest === null ? "" : `; the newest release is ${latest}`;
    const why = reason === null ? "" : ` (${reason})`;
    page.line(
      `svc ${installed}: ${page.tone(drift === "behind" ? "warn" : "good", drift)}${than}${why}`,
    );
    if (harness === null) page.line("no harness here");
    else {
      const tone = harness.drift === "current" ? "good" : "warn";
      const by = harness.version === null ? "" : `, made by svc ${harness.version}`;
      page.line(`harness of ${harness.repo}: ${page.tone(tone, harness.drift)}${by}`);
      if (harness.files.length > 0) {
        page.table(
          ["file", "state"],
          harness.files.map(({ path, state }) => [path, STATES[state]]),
        );
      }
    }
    if (drift === "behind" || harness?.drift === "ahead") page.next("svc update tool --dry-run");
    else if (harness?.drift === "behind") page.next("svc update harness --dry-run");
  },
});
