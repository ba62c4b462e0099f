import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, path } from "svc/cli/flags.ts";
import { quoted } from "svc/core/repo_path.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { pathLines, sourceLine } from "svc/features/setup/path_lines.ts";
import { editStartupFiles } from "svc/features/setup/shell_path.ts";
import { detectShell, SHELLS, startupsOf, userHome } from "svc/features/setup/shell_profiles.ts";

const DONE = { added: "added to", updated: "updated in", unchanged: "already in" } as const;
const WOULD = {
  added: "would be added to",
  updated: "would be updated in",
  unchanged: "already in",
} as const;

/** Gives a folder one spelling, so that PATH and the block compare equal; links are not resolved. */
function tidy(folder: string): string {
  return folder.replaceAll(/\/(?:\.?\/)+/g, "/").replace(/(?<=.)\/\.?$/, "");
}

export default command({
  about: "Put the install directory on PATH in your shell's start-up files",
  details:
    "Keeps one marked block in each file that the shell reads at start, as a login shell and as " +
    "an interactive one. Running it again changes nothing; if svc has moved, it updates the " +
    "block.",
  examples: [
    { line: "svc path setup", about: "for the shell you use" },
    { line: "svc path setup --dry-run", about: "shows the change and writes nothing" },
    { line: "svc path setup --shell fish --install-dir ~/bin", about: "another shell and folder" },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "shells of the user run what it writes" },
  modes: ["json", "plain", "yes", "dry-run"],
  flags: {
    installDir: path("folder", "Folder that holds svc (default: the config's, or ~/.local/bin)"),
    shell: choice(SHELLS, "Shell to set up (default: the one that SHELL names)"),
  },
  result: (z) =>
    z.strictObject({
      shell: z.enum(SHELLS),
      install_dir: z.string(),
      dry_run: z.boolean(),
      files: z.array(z.strictObject({
        path: z.string(),
        change: z.enum(["added", "updated", "unchanged"]),
        diff: z.string().exactOptional(),
      })),
      /** PATH of the calling shell holds the folder already. */
      on_path: z.boolean(),
      /** The folder holds a program named svc. */
      installed: z.boolean(),
      /** Makes the calling shell read the file again. */
      reload: z.string(),
    }),

  async run({ env, files, settings }: App, { installDir, shell = detectShell(env), dryRun }) {
    const home = userHome(env);
    const folder = tidy(installDir ?? (await settings()).install_dir ?? `${home}/.local/bin`);
    const lines = pathLines(shell, folder, home);
    const changes = await editStartupFiles(files, startupsOf(shell, { home, env }), lines, {
      dryRun,
    });
    return {
      shell,
      install_dir: folder,
      dry_run: dryRun,
      files: changes,
      on_path: (env.get("PATH") ?? "").split(":").includes(folder),
      installed: await files.stat(`${folder}/svc`) !== undefined,
      reload: sourceLine(shell, changes.at(-1)!.path, home),
    };
  },

  show({ install_dir, dry_run, files, on_path, installed, reload }, page) {
    for (const { path, change, diff } of files) {
      page.line(`PATH block ${(dry_run ? WOULD : DONE)[change]} ${path}`);
      for (const line of diff?.trimEnd().split("\n") ?? []) {
        page.line(line.startsWith("+") ? page.tone("good", line) : page.tone("dim", line));
      }
    }
    if (!installed) {
      const remedy = `make install INSTALL_DIR=${shellWord(install_dir)}`;
      page.line(
        `${page.tone("warn", "warning:")} no svc in ${quoted(install_dir)}; try: ${remedy}`,
      );
    }
    if (dry_run) page.next("the same command without --dry-run");
    else page.next(on_path ? "svc --help" : `open a new terminal, or: ${reload}`);
  },
});
