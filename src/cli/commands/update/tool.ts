import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { path, text } from "svc/cli/flags.ts";
import { Failure } from "svc/core/failure.ts";
import { withoutEnding } from "svc/core/text_ends.ts";
import { quoted } from "svc/core/repo_path.ts";
import { userHome } from "svc/features/setup/shell_profiles.ts";
import {
  installedVersion,
  makeLine,
  mustBeCheckout,
  reinstall,
} from "svc/runtime/setup/reinstall.ts";

const BY_HAND = "In a source checkout of svc: make update-tool";

/** Releases are not signed yet, so nothing that is packaged is installed (spec section 4.5, rule 3). */
function mustBeSource(version: string | undefined): void {
  if (version === undefined || version === "main") return;
  if (version === "latest" || /^v\d+\.\d+\.\d+$/.test(version)) {
    throw new Failure(
      "refused",
      `Cannot install the packaged svc ${
        quoted(version)
      }: that is reserved for a future signed release`,
      { remedy: BY_HAND },
    );
  }
  throw new Failure("usage", `Cannot install svc ${quoted(version)}: it is not a version of svc`, {
    remedy: "Give latest, vX.Y.Z or main",
  });
}

function checkoutOf({ runtime }: Pick<App, "runtime">, named: string | undefined): string {
  const source = named ?? (runtime.build === "source" ? runtime.root : undefined);
  if (source !== undefined) return withoutEnding(source, "/");
  throw new Failure(
    "refused",
    "Cannot reinstall svc without its source: packages are reserved for a future signed release",
    { remedy: `${BY_HAND}; or name the checkout: svc update tool --source <folder>` },
  );
}

export default command({
  about: "Reinstall svc from a source checkout",
  details:
    "Runs `make update-tool` in the checkout: it builds svc, puts it into the install directory " +
    "and keeps the old one there as svc.previous. Packages are reserved until releases are " +
    "signed, so --version takes only main: what the checkout's branch main contains. A finished " +
    "svc is never downloaded.",
  examples: [
    { line: "svc update tool --source ~/src/svc", about: "builds and installs that checkout" },
    { line: "svc update tool --source ~/src/svc --dry-run", about: "shows the steps" },
  ],
  effect: "writes_home",
  net: { to: "let the build fetch its locked dependencies" },
  givenBy: { who: "person", because: "it replaces the program and runs a checkout's build" },
  modes: ["json", "plain", "yes", "dry-run"],
  aliases: ["update binary", "update cli"],
  flags: {
    version: text("latest|vX.Y.Z|main", "main; packaged versions are reserved"),
    installDir: path("folder", "Folder that holds svc (default: the config's, or ~/.local/bin)"),
    source: path("checkout", "Source checkout of svc (default: the one that runs)"),
  },
  result: (z) =>
    z.strictObject({
      source: z.string(),
      install_dir: z.string(),
      steps: z.array(z.string()),
      dry_run: z.boolean(),
      /** What `svc version` says there; null where there was none. */
      before: z.string().nullable(),
      after: z.string().nullable(),
    }),

  async run(app: App, asked) {
    mustBeSource(asked.version);
    const source = checkoutOf(app, asked.source);
    await mustBeCheckout(app, source, asked.version === "main" ? "main" : undefined);
    const { install_dir: configured } = await app.settings();
    const dir = asked.installDir ?? configured ?? `${userHome(app.env)}/.local/bin`;
    const steps = [makeLine({ source, dir })];
    const before = await installedVersion(app, dir);
    const plan = { source, install_dir: dir, steps, dry_run: asked.dryRun, before };
    if (asked.dryRun) return { ...plan, after: null };
    await reinstall(app, { source, dir });
    return { ...plan, after: await installedVersion(app, dir) };
  },

  show({ install_dir, steps, dry_run, before, after }, page) {
    for (const step of steps) page.line(`${dry_run ? "would run" : "ran"}: ${step}`);
    page.line(`${install_dir}/svc: ${before ?? "none"}${dry_run ? "" : ` → ${after ?? "none"}`}`);
    if (dry_run) page.next("the same command without --dry-run");
    else page.next("svc doctor");
  },
});
