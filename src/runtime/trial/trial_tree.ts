/**
 * The throw-away work tree of a trial: runs commands, tells which files they left, and breaks and restores
 * files.
 */
import { capturedText } from "svc/core/head_tail.ts";
import { pointersAmong } from "svc/features/checks/lfs_pointers.ts";
import { filledBy } from "svc/features/harness/setup_commands.ts";
import type { DetectedCommand } from "svc/features/harness/candidates/candidate.ts";
import type { CheckoutPorts } from "svc/platform/git/checkout.ts";
import { childEnv } from "svc/platform/process/program.ts";
import {
  type RanCommand,
  runShown,
  type ShownPorts,
  type TreeWork,
} from "svc/runtime/job/run_in_tree.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Breakage } from "./breakages.ts";

export type TrialPorts =
  & ShownPorts
  & CheckoutPorts
  & Pick<RuntimePorts, "worktrees" | "log" | "signal">;
export type TrialRepo = Pick<Repo, "root" | "id" | "git" | "lock" | "folder">;

/** As long as a check of the manifest may take, unless that says otherwise. */
const LONGEST_SECONDS = 600;

/** A source or a test; longer files are data. */
const READ_BYTES = 1024 * 1024;

/** KiB of the checkout's own files that are copied to see whether a check needs them. */
const COPIED_KIB = 1024 * 1024;
const COPY_MS = 180_000;

export interface Leavings {
  /** Tracked files. */
  readonly rewrote: readonly string[];
  /** Files that git neither tracks nor ignores. */
  readonly left: readonly string[];
}

export class TrialTree {
  readonly #ports: TrialPorts;
  readonly #repo: TrialRepo;
  readonly #work: TreeWork;
  /** Paths that init adds to `.gitignore`: these may be left in the tree. */
  readonly #fills: readonly string[];

  constructor(
    ports: TrialPorts,
    repo: TrialRepo,
    work: TreeWork,
    commands: readonly DetectedCommand[],
  ) {
    this.#ports = ports;
    this.#repo = repo;
    this.#work = work;
    this.#fills = filledBy(commands);
  }

  run(
    { run }: Pick<DetectedCommand, "run">,
    { label, seconds = LONGEST_SECONDS, step }: {
      readonly label: string;
      readonly seconds?: number;
      readonly step?: "set_up";
    },
  ): Promise<RanCommand> {
    const command = { name: "trial", run: [...run], timeout_seconds: seconds };
    const shown = { label, name: label, command, ...(step && { step }) };
    return runShown(this.#ports, this.#repo, this.#work, shown);
  }

  /** The folder at which the path is below what the set-up fills. */
  #filled(path: string): string | undefined {
    const parts = path.replace(/\/$/, "").split("/");
    const fits = (part: string) =>
      this.#fills.some((fill) =>
        fill.startsWith("*") ? part.endsWith(fill.slice(1)) : part === fill
      );
    const at = parts.findIndex(fits);
    return at === -1 ? undefined : parts.slice(0, at + 1).join("/");
  }

  async leavings(): Promise<Leavings> {
    const { changes } = await this.#work.tree.git.status();
    const paths = (untracked: boolean) =>
      changes.filter(({ kind }) => (kind === "untracked") === untracked).map(({ path }) => path);
    const left = paths(true).filter((path) => this.#filled(path) === undefined);
    // The check was told to get these files: svc puts their pointers back, here as in a job.
    const pointers = await pointersAmong(this.#work.tree.git, paths(false));
    return { rewrote: paths(false).filter((path) => !pointers.has(path)), left };
  }

  async putBack(): Promise<void> {
    const { tree } = this.#work;
    const { changes } = await tree.git.status();
    const filled = changes.filter(({ kind }) => kind === "untracked")
      .map(({ path }) => this.#filled(path)).filter((path) => path !== undefined);
    await this.#ports.worktrees.putBack(this.#repo.git, tree.root, [...new Set(filled)]);
  }

  async tracked(): Promise<readonly string[]> {
    return (await this.#work.tree.git.trackedFiles()).paths;
  }

  async read(path: string): Promise<string | undefined> {
    const { folder } = this.#work.tree;
    if ((await folder.stat(path))?.kind !== "file") return undefined;
    const { bytes, truncated } = await folder.read(path, { maxBytes: READ_BYTES });
    return truncated || bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
  }

  /** Undo it with `putBack`. */
  async breakFiles({ files }: Breakage): Promise<void> {
    for (const [path, text] of files) {
      await this.#work.tree.folder.write(path, new TextEncoder().encode(text));
    }
  }

  /**
   * Copies what lies in the root of the checkout and is not here, such as `.env`.
   * @returns their names; none where they are too large to be copied
   */
  async bringOwnFiles(): Promise<string[]> {
    const { folder } = this.#work.tree;
    const names: string[] = [];
    for (const { name } of (await this.#repo.folder.list(".")).entries) {
      if (name !== ".git" && await folder.stat(name) === undefined) names.push(name);
    }
    if (names.length === 0) return [];
    const size = await this.#program("du", ["-sk", "--total", "--", ...names]);
    const kib = Number(/^(\d+)\ttotal$/m.exec(capturedText(size.stdout))?.[1] ?? Infinity);
    if (kib > COPIED_KIB) return [];
    const to = `${folder.root}/`;
    const { code } = await this.#program("cp", ["-a", "--reflink=auto", "--", ...names, to]);
    return code === 0 ? names : [];
  }

  #program(program: string, args: readonly string[]) {
    return this.#ports.processes.run({
      program,
      args: [...args],
      cwd: this.#repo.root,
      env: childEnv(this.#ports.env.all()),
      timeoutMs: COPY_MS,
      tag: this.#work.job,
      signal: this.#work.signal,
    });
  }
}
