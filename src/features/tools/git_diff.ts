/** `git_diff`: the change as a patch. */
import { z } from "zod";
import type { Diffed, DiffQuery } from "svc/platform/git/diff.ts";
import type { Status } from "svc/platform/git/git.ts";
import { patchWithoutKeys } from "./key_patches.ts";
import { missingText } from "./near_paths.ts";
import { anyPath, isReadable, mustBeReadable } from "./path_arg.ts";
import { tool, type ToolSession } from "./tool.ts";

/** Paths given to git one by one, when hidden files are left out. */
const DIFF_NAMED_PATHS = 200;

interface ReadablePatch extends Diffed {
  /** Files of the patch that are not in `text`. */
  readonly hidden: number;
}

const TICKETS = "docs/tickets/";

type Hides = (paths: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Leaves out what is git's or may hold svc's keys, and unless asked for, tickets: svc moves them. Lines of private
 * keys are hidden.
 * @param hides files that are not shown either
 */
export async function readablePatch(
  session: ToolSession,
  query: DiffQuery,
  withTickets: boolean,
  hides?: Hides,
): Promise<ReadablePatch> {
  const patch = await patchOf(session, query, withTickets, hides);
  return { ...patch, text: await patchWithoutKeys(session, patch.text) };
}

async function patchOf(
  { tree: { git } }: ToolSession,
  query: DiffQuery,
  withTickets: boolean,
  hides?: Hides,
): Promise<ReadablePatch> {
  const { paths, skipped } = await git.diffPaths(query);
  const asked = withTickets ? paths : paths.filter((path) => !path.startsWith(TICKETS));
  const hiding = await hides?.(asked);
  const readable = asked.filter((path) => isReadable(path) && !hiding?.has(path));
  const hidden = asked.length - readable.length + skipped.length;
  const whole = hidden === 0 && readable.length === paths.length;
  if (whole) return { ...await git.diff(query), hidden };
  const named = readable.slice(0, DIFF_NAMED_PATHS);
  const patch = named.length === 0
    ? { text: "", truncated: false, totalBytes: 0 }
    : await git.diff({ ...query, paths: named });
  return { ...patch, hidden: hidden + readable.length - named.length };
}

interface Comparison extends Pick<DiffQuery, "since"> {
  /** Compared is where HEAD left this. */
  readonly fork?: string;
  /** What is compared by default. */
  readonly said?: string;
}

/**
 * Without `since`, in the work tree of a job: the change under review, since its branch left the base
 * branch. In the checkout: what is not committed, staged or not, since a model edits and stages nothing.
 */
function comparison(
  { repo, tree }: ToolSession,
  { since, staged }: { readonly since: string | undefined; readonly staged: boolean },
): Comparison {
  if (since !== undefined) return { fork: since };
  if (staged) return {};
  if (tree.root === repo.root) return { since: "HEAD" };
  const { baseBranch } = repo;
  const said = `What this branch changed since it left ${baseBranch}, committed or not:`;
  return { fork: `refs/heads/${baseBranch}`, said };
}

interface Looked extends Pick<DiffQuery, "since">, Pick<Comparison, "said"> {
  readonly changes: Status["changes"];
}

/** Before the first commit there is nothing to compare with, unless it was asked for by name. */
async function looked(
  session: ToolSession,
  asked: { readonly since: string | undefined; readonly staged: boolean },
): Promise<Looked> {
  const { git } = session.tree;
  const { fork, since, said } = comparison(session, asked);
  const forking = fork === undefined ? undefined : git.forkFrom(fork);
  forking?.catch(() => {}); // awaited below
  const { head, changes } = await git.status();
  if (head === undefined && asked.since === undefined) return { changes };
  const from = await forking ?? since;
  return {
    changes,
    ...(said !== undefined && { said }),
    ...(from !== undefined && { since: from }),
  };
}

async function isUnknown({ tree: { git, folder } }: ToolSession, path: string): Promise<boolean> {
  if (await folder.stat(path) !== undefined) return false;
  const { paths } = await git.listFiles();
  return !paths.some((one) => one === path || one.startsWith(`${path}/`));
}

export const gitDiff = tool({
  name: "git_diff",
  about: "Shows what this branch changed, committed or not, as a patch.",
  capability: "read",
  args: () =>
    z.strictObject({
      since: z.string().optional()
        .describe(
          'Since it left this branch or commit, such as "v1.2"; "HEAD": what is not committed',
        ),
      path: anyPath("This file or folder only").optional(),
      staged: z.boolean().optional().describe("What is staged, not what is on disk"),
    }),
  async run(session, { since, path: asked, staged = false }) {
    const path = asked === "." ? undefined : asked;
    if (path !== undefined) mustBeReadable(path);
    const { said, changes, ...from } = await looked(session, { since, staged });
    const query = { staged, ...from, ...(path !== undefined && { paths: [path] }) };
    const withTickets = said === undefined || path !== undefined;
    const { text, truncated, totalBytes, hidden } = await readablePatch(
      session,
      query,
      withTickets,
    );
    const untracked = staged ? [] : changes
      .filter((change) => change.kind === "untracked" && change.usable)
      .map((change) => change.path)
      .filter((one) => path === undefined || one === path || one.startsWith(`${path}/`));
    const nothing = text === "" && untracked.length === 0 && hidden === 0;
    if (nothing && path !== undefined && await isUnknown(session, path)) {
      return { ok: false, text: await missingText(session, path) };
    }
    const lines = [
      ...(said === undefined ? [] : [said]),
      text === "" ? "No difference in tracked files" : text.trimEnd(),
      ...(hidden === 0 ? [] : [
        `[${hidden} changed files are not shown: they may hold credentials, or have names that ` +
        "cannot be used here, or are too many; give path to see one]",
      ]),
      ...(untracked.length === 0
        ? []
        : ["New files, not in the patch (see them with file_read):", ...untracked]),
    ];
    return {
      ok: true,
      text: lines.join("\n"),
      ...(truncated && { partOf: totalBytes }),
      facts: { truncated, untracked: untracked.length },
      readOn: () => "Give path to see one file at a time",
    };
  },
});
