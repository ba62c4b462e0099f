/** Tells whether a commit can be checked out without running any program that its repo names. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { gitIn, type GitRunner } from "./git_call.ts";
import { refuseDriven } from "./git_drivers.ts";
import type { Place } from "./git_hardening.ts";
import { withOwnIndex } from "./git_objects.ts";
import { type IndexEntry, indexEntry, Items } from "./git_output.ts";

/**
 * @throws Failure `refused` for submodules, for files that go through a filter (LFS), and for
 *   settings that would be others in a new work tree than those that were looked at
 */
export async function refuseUnfit(
  runner: GitRunner,
  repo: Place,
  doing: string,
  commit: string,
): Promise<void> {
  const settings = new Items();
  const decoder = new TextDecoder();
  await gitIn(runner, repo)({
    doing,
    args: ["config", "--includes", "--name-only", "--list", "-z"],
    maxOutputBytes: 4096,
    onOutput(chunk, stream) {
      if (stream === "stderr") return;
      for (const item of settings.push(chunk)) {
        if (!/^includeif\./i.test(decoder.decode(item))) continue;
        throw new Failure("refused", `Cannot ${doing}: the repo includes settings by condition`, {
          remedy: `Move ${
            quoted(decoder.decode(item))
          } from its settings to your own (~/.gitconfig)`,
        });
      }
    },
  });
  await withOwnIndex(runner, repo, { doing, tree: commit }, async (git) => {
    const entries: IndexEntry[] = [];
    const cut = new Items();
    await git({
      doing,
      args: ["ls-files", "--stage", "-z"],
      maxOutputBytes: 4096,
      onOutput(chunk, stream) {
        if (stream === "stdout") {
          for (const item of cut.push(chunk)) entries.push(indexEntry(item));
        }
      },
    });
    const submodule = entries.find(({ mode }) => mode === "160000");
    const odd = entries.find(({ usable }) => !usable);
    const unfit = submodule ?? odd;
    if (unfit !== undefined) {
      const why = submodule ? "is a submodule" : "is a name that svc cannot check";
      throw new Failure("refused", `Cannot ${doing}: ${quoted(unfit.path)} ${why}`, {
        remedy: "Work on this repo without work trees of svc",
      });
    }
    const paths = entries.filter(({ mode }) => mode !== "120000").map(({ path }) => path);
    await refuseDriven(git, { doing, paths, attributes: ["filter"], from: "index" });
  });
}
