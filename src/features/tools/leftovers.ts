/** `leftovers`: what an earlier attempt left uncommitted, as a patch; or brought back into the work tree. */
import { z } from "zod";
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { protectedIn } from "svc/features/guardrails/commit_guard.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import type { BranchCommit } from "svc/platform/git/branch.ts";
import type { Leftovers } from "svc/platform/git/leftovers.ts";
import { untrackedCredentials } from "./credential_files.ts";
import { readablePatch } from "./git_diff.ts";
import { anyPath, mustBeReadable } from "./path_arg.ts";
import { tool, type ToolAnswer, type ToolSession } from "./tool.ts";

type LeftFile = BranchCommit["changed"][number];

/** @throws Failure `not_found` */
function chosen({ leftovers = [] }: ToolSession, ref: string | undefined): Leftovers {
  const found = ref === undefined ? leftovers[0] : leftovers.find((one) => one.ref === ref);
  if (found !== undefined) return found;
  const refs = leftovers.map((one) => one.ref).join(", ") || "nothing";
  throw new Failure("not_found", `Cannot find ${quoted(ref ?? "leftovers")}: there is ${refs}`, {
    remedy: "Give one of these as ref",
  });
}

const below = (path: string | undefined) => (one: string) =>
  path === undefined || one === path || one.startsWith(`${path}/`);

async function shown(
  session: ToolSession,
  { ref, base, notes }: Leftovers,
  path: string | undefined,
): Promise<ToolAnswer> {
  if (base === undefined) return { ok: false, text: "It has no commit to be compared with" };
  const { text, truncated, totalBytes, hidden } = await readablePatch(
    session,
    {
      ...{ since: base, until: ref },
      ...(path !== undefined && { paths: [path] }),
    },
    true,
    (paths) => untrackedCredentials(session, paths),
  );
  const lines = [
    text === "" ? "No difference in files that can be shown" : text.trimEnd(),
    ...(hidden === 0 ? [] : [
      `[${hidden} files are not shown: they may hold credentials, or are too many; give path to see ` +
      "one]",
    ]),
    ...notes.map((note) => `[${note}]`),
  ];
  return {
    ok: true,
    text: lines.join("\n"),
    ...(truncated && { partOf: totalBytes }),
    readOn: () => "Give path to see one file at a time",
  };
}

/** Newest state of each file; what was staged otherwise is the commit before. */
async function filesOf(session: ToolSession, { ref, base }: Leftovers): Promise<LeftFile[]> {
  const commits = await session.tree.git.commitsSince(ref, base ?? "HEAD");
  const files = new Map<string, LeftFile>();
  for (const { changed } of commits) {
    for (const file of changed) if (!files.has(file.path)) files.set(file.path, file);
  }
  return [...files.values()];
}

/** Why it stays where it is; undefined for one that can be brought back. */
function obstacle(
  { role, manifest, hookFolders }: ToolSession,
  file: LeftFile,
  edited: ReadonlySet<string>,
): string | undefined {
  const guardrails = guardrailsOf(manifest, hookFolders);
  const [objection] = protectedIn([file], { role, guardrails });
  if (objection !== undefined) return objection.reason;
  const { path, mode } = file;
  if (edited.has(path)) return `${quoted(path)}: changed in your tree; merge it by hand`;
  if (mode === "120000") return `${quoted(path)}: a symbolic link`;
  return mode === "160000" ? `${quoted(path)}: a submodule` : undefined;
}

async function taken(
  session: ToolSession,
  left: Leftovers,
  path: string | undefined,
): Promise<ToolAnswer> {
  const { git, folder } = session.tree;
  const edited = new Set((await git.status()).changes.map((change) => change.path));
  const wanted = (await filesOf(session, left)).filter((file) => below(path)(file.path));
  const stays: string[] = [];
  const free = wanted.filter((file) => {
    const why = obstacle(session, file, edited);
    if (why !== undefined) stays.push(why);
    return why === undefined;
  });
  const brought: string[] = [];
  for (const { path: gone } of free.filter(({ oid }) => oid === undefined)) {
    if (await folder.stat(gone) === undefined) continue; // staged only
    await folder.remove(gone);
    brought.push(`${gone}: removed`);
  }
  const written = free.filter(({ oid }) => oid !== undefined);
  let at = 0;
  await git.catFiles(written.map(({ oid }) => oid!), async (blob) => {
    const { path: file, mode } = written[at++]!;
    if (blob.state !== "read") {
      stays.push(`${quoted(file)}: larger than ${FILE_WRITE_BYTES} bytes`);
      return;
    }
    const cut = file.lastIndexOf("/");
    if (cut > 0) await folder.makeFolder(file.slice(0, cut));
    session.seen.delete(file);
    await folder.write(file, blob.bytes, mode === "100755" ? { mode: 0o755 } : {});
    brought.push(file);
  }, FILE_WRITE_BYTES);
  const lines = [
    ...(brought.length === 0 ? ["Nothing was brought back"] : ["Brought back:", ...brought]),
    ...(stays.length === 0 ? [] : ["Left where it is:", ...stays]),
  ];
  return {
    ok: brought.length > 0,
    text: lines.join("\n"),
    facts: { brought: brought.length, stays: stays.length },
  };
}

export const leftovers = tool({
  name: "leftovers",
  about:
    "Shows what an earlier attempt left uncommitted, as a patch. With take it brings those files back into your tree.",
  capability: "read",
  // It writes files of the repo, and no others.
  grantedWith: "file_write",
  args: () =>
    z.strictObject({
      ref: z.string().optional().describe("Which leftovers; default the newest"),
      path: anyPath("This file or folder only").optional(),
      take: z.boolean().optional().describe("Bring the files back; default only look"),
    }),
  needs: ({ take }) => take === true ? "write" : undefined,
  async run(session, { ref, path: asked, take = false }) {
    const path = asked === "." ? undefined : asked;
    if (path !== undefined) mustBeReadable(path);
    const left = chosen(session, ref);
    return take ? await taken(session, left, path) : await shown(session, left, path);
  },
});
