/** Commits these files of svc's and no others: the user's index, other files, hooks and a repo's programs
 * take no part. */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { together } from "svc/core/together.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { Processes } from "svc/platform/process/process.ts";
import { type CallGit, gitIn, type GitRunner } from "./call.ts";
import { dropJournal, hashOf, readJournal } from "./commit_journal.ts";
import type { CommitPlan, FileChange } from "./commit_plan.ts";
import type { GitLocation } from "./hardening.ts";
import { branchOf, headTip } from "./head.ts";
import { namesEverAdded } from "./history.ts";
import { dropNextIndex, unlockIndex } from "./index.ts";
import { finishLanding, landCommit } from "./landing.ts";
import { dropStage } from "./merged_files.ts";
import { commitObject, dropOwnIndex, treeWith } from "./objects.ts";
import { committer } from "./person.ts";
import { operationOf, wayOutOf } from "./operation.ts";
import type { EnvVariables } from "./user.ts";

export type { CommitPlan, FileChange } from "./commit_plan.ts";

/** The caller holds the repo's lock. Failures: `conflict` when HEAD is on no branch, git is busy, a file is not
 * as it was read or another commit came first; `refused` when a driver applies; `environment`. */
export interface Commits {
  /** Killed at any moment it has happened or not, once `recover` has run. Replaces what the user staged for
   * the paths, as `git commit --only`. Undefined when HEAD already holds all of it. */
  commit(repo: GitLocation, folder: Folder, plan: CommitPlan): Promise<string | undefined>;
  /** What the work tree holds now; an absent path is removed. */
  commitPaths(
    repo: GitLocation,
    folder: Folder,
    plan: Omit<CommitPlan, "changes"> & { readonly paths: readonly string[] },
  ): Promise<string | undefined>;
  /** What a killed commit left. @returns paths that were edited since and stay so */
  recover(repo: GitLocation, folder: Folder): Promise<readonly string[]>;
  tip(repo: GitLocation): Promise<string | undefined>;
  mustTakeCommits(repo: GitLocation, doing: string): Promise<void>;
  /** `tips` are the `seen` of the next call. */
  namesEverAdded: (
    repo: GitLocation,
    under: string,
    seen: readonly string[],
  ) => Promise<{ readonly names: readonly string[]; readonly tips: readonly string[] }>;
}

interface CommitPorts {
  readonly processes: Processes;
  readonly env: EnvVariables;
  readonly files: Pick<Files, "readText" | "writeAtomic" | "remove" | "stat">;
  readonly clock: Clock;
}

export async function mustTakeCommits(git: CallGit, place: GitLocation, doing: string) {
  const { root } = place;
  const busy = await operationOf(git, place);
  if (busy !== undefined) {
    throw new Failure("conflict", `Cannot ${doing}: a ${busy} is going on in ${quoted(root)}`, {
      remedy: wayOutOf(busy, root),
      waits: true,
    });
  }
  if (await branchOf(git, place) !== undefined) return;
  throw new Failure("conflict", `Cannot ${doing}: HEAD of ${quoted(root)} is on no branch`, {
    remedy: `Check out a branch first, such as: git -C ${shellWord(root)} switch main`,
    waits: true,
  });
}

async function mustBeAsRead(folder: Folder, { doing, changes }: CommitPlan) {
  for (const { path, before } of changes) {
    if (await hashOf(folder, path) === before) continue;
    throw new Failure("conflict", `Cannot ${doing}: ${quoted(path)} changed since it was read`, {
      remedy: "Run the command again",
    });
  }
}

export function commitsOver({ processes, env, files, clock }: CommitPorts): Commits {
  const runner: GitRunner = { processes, env };
  const landing = { runner, files, clock };

  const commits: Commits = {
    async commit(place, folder, plan) {
      const git = gitIn(runner, place);
      await mustTakeCommits(git, place, plan.doing);
      await mustBeAsRead(folder, plan);
      const parent = await headTip(git, place, plan.doing);
      const [{ entries, tree, treeBefore, pack }, user] = await together(
        treeWith(runner, place, plan, parent),
        committer(git, processes, env),
      );
      const journal = plan.changes.map((change, at) => ({ ...change, entry: entries[at]! }));
      if (parent !== undefined && tree === treeBefore) {
        await finishLanding(landing, place, folder, { commit: parent, entries: journal });
        return undefined;
      }
      const at = clock.now();
      const people = { author: plan.author ?? user.author, committer: user.committer };
      const parents = parent === undefined ? [] : [parent];
      const note = `commit: ${plan.message.split("\n", 1)[0]}`;
      return await landCommit(landing, place, folder, {
        ...{ doing: plan.doing, note, parent, tree, entries: journal },
        make: () => commitObject(runner, place, plan, { tree, parents, at, ...people }, pack),
      });
    },

    async commitPaths(place, folder, { paths, ...plan }) {
      const changes: FileChange[] = [];
      for (const path of paths) {
        const facts = await folder.stat(path);
        const content = facts && await folder.read(path, { maxBytes: facts.size });
        changes.push({
          path,
          bytes: content?.bytes ?? null,
          before: content?.sha256 ?? null,
          executable: content !== undefined && (content.mode & 0o100) !== 0,
        });
      }
      return await commits.commit(place, folder, { ...plan, changes });
    },

    async recover(place, folder) {
      dropOwnIndex(place);
      dropNextIndex(place);
      await dropStage(place);
      const journal = await readJournal(files, place);
      if (journal === undefined) {
        unlockIndex(place);
        return [];
      }
      const doing = `finish a commit in ${quoted(place.root)}`;
      const head = await headTip(gitIn(runner, place), place, doing);
      if (head === journal.commit) return await finishLanding(landing, place, folder, journal);
      // It never landed, or the user has moved on from it: what they see now is what they want.
      await dropJournal(files, place);
      unlockIndex(place);
      return [];
    },

    tip: (place) => headTip(gitIn(runner, place), place, `read HEAD of ${quoted(place.root)}`),
    mustTakeCommits: (place, doing) => mustTakeCommits(gitIn(runner, place), place, doing),
    namesEverAdded: (place, ...query) => namesEverAdded(gitIn(runner, place), place, ...query),
  };
  return commits;
}
