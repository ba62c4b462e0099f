import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { on, path, repo, text } from "svc/cli/flags.ts";
import { reportShape, showReport } from "svc/cli/page/harness_report.ts";
import { typedLine } from "svc/cli/typed_line.ts";
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { withoutEnding } from "svc/core/text_ends.ts";
import { removeHooks } from "svc/features/guardrails/hooks.ts";
import { readMetadata } from "svc/features/harness/metadata.ts";
import { carryOut, openHarnessTarget, pending } from "svc/features/harness/operate.ts";
import { planDatabase } from "svc/features/harness/plan_database.ts";
import { ownersLife, parseOwner } from "svc/features/jobs/owner.ts";
import { peekWorkers } from "svc/features/jobs/peek_workers.ts";
import { peekOtherRepos } from "svc/features/repos/peek_repo.ts";
import { registersOf, unregister } from "svc/runtime/eject/unregister.ts";
import { peekDatabase, walStateOf } from "svc/store/open.ts";
import { openShared } from "svc/store/placement.ts";
import { checkConfirmed, dropPool, nameWork, planEject } from "svc/features/harness/plan_eject.ts";

const FLAGS = {
  repo,
  db: path("file", "Database of the repo (default: ~/.svc/db/<repo-name>/svc.db)"),
  apply: on("Do it; without this flag it is only shown"),
  confirm: text("repo-name", "Name of the repo's folder, as a safety catch for --apply"),
  keepDb: on("Keep the database"),
  deleteSharedDb: on("Also remove a database that other repos may use"),
} as const;

async function workerIn({ files, identities }: App, database: string) {
  const isAlive = ownersLife(identities);
  for (const { owner, what } of peekWorkers(database, await walStateOf(files, database))) {
    if (await isAlive(owner) === "alive") return `${what}, process ${parseOwner(owner)?.pid}`;
  }
}

/** Other repos whose registration, jobs, trust and scores go with the databases that are removed. */
async function othersIn({ files }: App, databases: readonly string[], root: string) {
  const found: string[] = [];
  // A folder holds the database of this repo alone; --db may name a file anything.
  for (const path of databases) {
    found.push(...peekOtherRepos(path, await walStateOf(files, path), root));
  }
  return found;
}

interface EjectAsked {
  /** A folder; real, where there is one. */
  readonly repo: string;
  readonly db: string | undefined;
  readonly keepDb: boolean;
  readonly deleteSharedDb: boolean;
}

function databaseAsked(app: App, { repo, db, keepDb, deleteSharedDb }: EjectAsked) {
  const { files, home } = app;
  return {
    ...{ repo, files, home, db, keepDb, deleteSharedDb },
    peek: peekDatabase,
    worker: (database: string) => workerIn(app, database),
  };
}

/** A register that cannot be changed now is named, with what keeps it. */
async function letGo(app: App, registers: readonly string[], root: string) {
  const unregistered: string[] = [];
  const kept: { readonly path: string; readonly why: string }[] = [];
  for (const path of registers) {
    try {
      await using store = await openShared(app, { db: path });
      await unregister({ ...app, db: store.db }, root);
      unregistered.push(path);
    } catch (thrown) {
      const { code, message } = Failure.from(thrown);
      if (code === "internal" || code === "interrupted") throw thrown;
      kept.push({ path, why: `its registration: ${message}` });
    }
  }
  return { unregistered, kept };
}

/** The real path of the place of a repo where there is none any more; undefined where one is. */
async function placeOfGoneRepo(app: App, typed: string): Promise<string | undefined> {
  if (await app.files.stat(typed) === undefined) return typed;
  const { isRepoGone } = await app.load("src/runtime/eject/gone_repo");
  const place = await app.files.realPath(typed);
  return await isRepoGone(app, place) ? place : undefined;
}

/** Nothing of it is left but what svc keeps in its own folders. */
async function ejectGone(
  app: App,
  asked: EjectAsked & {
    readonly apply: boolean;
    readonly dryRun: boolean;
    readonly confirm: string | undefined;
  },
) {
  const { planGone, dropGone } = await app.load("src/runtime/eject/gone_repo");
  const { repo, apply, confirm } = asked;
  const name = repo.slice(repo.lastIndexOf("/") + 1);
  const dryRun = !apply || asked.dryRun;
  if (apply) checkConfirmed(name, confirm);
  const plan = await planGone(app, databaseAsked(app, asked));
  const others = await othersIn(app, plan.drops, repo);
  const { changes, kept, registers } = plan;
  const report = { ...{ repo, name, dry_run: dryRun, others, changes }, gone: true, earlier: [] };
  if (dryRun) return { ...report, kept, unregistered: [...registers] };
  await dropGone(app.files, plan);
  const done = await letGo(app, registers, repo);
  return { ...report, kept: [...kept, ...done.kept], unregistered: done.unregistered };
}

export default command({
  about: "Remove the harness from a repo, and the repo's database; shows it first",
  details:
    "Without --apply it changes nothing and prints the exact list. It removes .harness/, files " +
    "that svc created and nobody changed since (also tickets of a scan), its git hooks, its lines " +
    "in .gitignore and .prettierignore, folders that become empty, set-ups kept for the next work tree, and the " +
    "repo's own database. It also ends the repo's registration, so that `svc serve` no longer " +
    "works on it. If the folder is gone, or no git repo any more, --repo names the place where it " +
    "was. Files that somebody edited stay and are named; inside .harness/ they are removed too, with a copy in " +
    "~/.svc/journal/backups. Work trees and branches of roles stay and are named, since they may " +
    "be the only copy; so does a database that a running svc uses. Git history is not touched.",
  examples: [
    { line: "svc eject", about: "shows what would go, and changes nothing" },
    { line: "svc eject --apply --confirm app", about: "removes it from the repo named app" },
    { line: "svc eject --apply --confirm app --keep-db", about: "keeps the database" },
  ],
  effect: "writes_target",
  givenBy: {
    who: "person",
    because: "it takes the harness and its database away",
    with: ["apply"],
  },
  modes: ["json", "plain", "yes", "dry-run"],
  aliases: ["uninstall", "kill-switch"],
  flags: FLAGS,
  result: (z) =>
    z.strictObject({
      ...reportShape(z),
      /** What `--confirm` must give. */
      name: z.string(),
      /** No repo lies at its place any more. */
      gone: z.boolean(),
      /** Other repos whose records are in a database that goes. */
      others: z.array(z.string()),
      /** Databases whose services work on the repo no more; its records stay there. */
      unregistered: z.array(z.string()),
    }),

  async run(app: App, asked) {
    // A registered place has no slash at its end.
    const named = withoutEnding(asked.repo ?? app.cwd(), "/") || "/";
    const gone = await placeOfGoneRepo(app, named);
    if (gone !== undefined) return await ejectGone(app, { ...asked, repo: gone });
    using target = await openHarnessTarget(app, named);
    const { files, home, git: repo } = target;
    const name = repo.root.slice(repo.root.lastIndexOf("/") + 1);
    const dryRun = !asked.apply || asked.dryRun;
    if (asked.apply) checkConfirmed(name, asked.confirm);
    const everywhere = await app.git.userSetting("core.hooksPath");
    let others: readonly string[] = [];
    const makePlan = async () => {
      const metadata = await readMetadata(target).catch((thrown) => {
        // Without its record only `.harness/` itself is known to be svc's; it is removed still.
        if (thrown instanceof Failure) return undefined;
        throw thrown;
      });
      const draft = await planEject(target, {
        repo,
        metadata,
        removeHooks: (recorder) => removeHooks(recorder, repo, everywhere),
      });
      await planDatabase(draft, databaseAsked(app, { ...asked, repo: repo.root }));
      others = await othersIn(app, draft.drops, repo.root);
      const below = await files.realPath(home.worktrees).catch(() => undefined);
      await dropPool(draft, { repo: repo.root, files, below });
      await nameWork(draft, { repo, worktrees: app.worktrees, below });
      return draft;
    };
    const report = { repo: repo.root, name, dry_run: dryRun, gone: false };
    const registers = ({ drops }: { readonly drops: readonly string[] }) =>
      registersOf({ files, home }, { root: repo.root, db: asked.db, drops });
    if (dryRun) {
      const plan = await makePlan();
      const { changes, kept } = plan;
      const unregistered = await registers(plan);
      return { ...report, others, changes, kept, unregistered, earlier: await pending(target) };
    }
    const { plan, ...done } = await carryOut(target, "eject", makePlan);
    const { unregistered, kept } = await letGo(app, await registers(plan), repo.root);
    const { changes } = plan;
    return { ...report, others, changes, unregistered, kept: [...plan.kept, ...kept], ...done };
  },

  show(result, page, asked) {
    showReport(result, page);
    const { changes, dry_run, gone, name, others, unregistered } = result;
    if (gone && dry_run) {
      page.line("No repo lies there any more. If it was moved: svc register --repo <its place>");
    }
    for (const path of unregistered) {
      const what = dry_run ? "would be taken out of the register" : "is no longer registered";
      page.line(`the repo ${what} in ${path}: svc serve works on it no more; its records stay`);
    }
    if (others.length > 0) {
      const went = dry_run ? "would go too" : "went too";
      const whose = `jobs, trust and scores of ${others.join(", ")}`;
      page.line(`${page.tone("warn", "warning:")} ${whose} ${went}: they are in that database`);
    }
    if (changes.length + unregistered.length === 0) page.line("There is nothing to eject.");
    else if (dry_run) {
      {
        const again = typedLine("eject", FLAGS, asked, ["apply", "confirm"]);
        page.next(`${again} --apply --confirm ${shellWord(name)}`);
      }
    } else if (!gone) page.next("git status shows what went; a commit makes it final");
  },
});
