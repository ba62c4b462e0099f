/** Installs svc's git hooks beside the hooks that a repo has, and removes them. */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import {
  type BlockChange,
  bytesOf,
  byteText,
  type MarkedBlock,
  withBlock,
  withoutBlock,
} from "svc/core/marked_block.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Files } from "svc/platform/files/files.ts";
import { realFolder } from "svc/platform/files/through_links.ts";
import type { GitRepo } from "svc/platform/git/git.ts";

const HOOK_BYTES = 1024 * 1024;

export const HOOKS = ["pre-commit", "pre-push"] as const;
export type Hook = typeof HOOKS[number];

interface HookChange {
  readonly hook: Hook;
  readonly path: string;
  readonly change: BlockChange;
  readonly kept?: string;
}

type HookPorts = Pick<
  Files,
  "read" | "stat" | "realPath" | "makeFolder" | "writeAtomic" | "rename" | "remove"
>;

const LABEL = "svc guardrails";
/** Its here-documents would not end at a CRLF; the other lines of a hook keep theirs. */
const PLACE = { at: "below the shebang", eol: "\n" } as const;
/** A hook of svc's own, without its block. */
const FRAME = "#!/bin/sh\n";
/** Suffix of a hook that svc cannot edit; svc's hook runs it. */
const KEPT = ".before-svc";

/** The rest of a hook reads the refs to push anew. */
const REFS_AGAIN = ["    exec <<SVC_REFS", "$svc_refs", "SVC_REFS"];

const CALL: Record<Hook, readonly string[]> = {
  "pre-commit": ["  svc internal hook pre-commit || exit 1"],
  // The refs to push come on standard input, which the rest of the hook may also read.
  "pre-push": [
    "  svc_refs=$(cat)",
    '  if [ -n "$svc_refs" ]; then',
    '    printf \'%s\\n\' "$svc_refs" | svc internal hook pre-push "$@" || exit 1',
    ...REFS_AGAIN,
    "  fi",
  ],
};

const KEPT_CALL: Record<Hook, readonly string[]> = {
  "pre-commit": ['  "$svc_kept" "$@" || exit'],
  "pre-push": [
    "  svc_refs=${svc_refs-$(cat)}",
    '  if [ -n "$svc_refs" ]; then',
    '    "$svc_kept" "$@" <<SVC_REFS || exit',
    "$svc_refs",
    "SVC_REFS",
    ...REFS_AGAIN,
    '  else "$svc_kept" "$@" || exit; fi',
  ],
};

/** Somebody may have added lines to svc's hook, which go on after it. */
const runKept = (hook: Hook): readonly string[] => [
  `svc_kept=$(dirname "$0")/${hook}${KEPT}`,
  // A hook that is not executable was switched off by its owner, and stays so.
  'if [ -x "$svc_kept" ]; then',
  ...KEPT_CALL[hook],
  "fi",
];

/** @param kept whether the block has to run the hook that svc moved away */
function blockOf(hook: Hook, kept: boolean): MarkedBlock {
  const what = hook === "pre-commit" ? "this commit" : "this push";
  return {
    label: LABEL,
    lines: [
      "# Written by svc guardrails install-hooks; svc eject takes it out again.",
      "if command -v svc >/dev/null 2>&1; then",
      ...CALL[hook],
      "else",
      `  echo 'svc is not on PATH: ${what} was not checked for secrets; try: svc path setup' >&2`,
      "fi",
      ...(kept ? runKept(hook) : []),
    ],
  };
}

interface HooksFolder {
  readonly path: string;
  /** Inside the work tree: its files belong to the team and are edited, never moved. */
  readonly tracked: boolean;
}

async function isHusky(files: HookPorts, folder: string): Promise<boolean> {
  return folder.endsWith("/_") && await files.stat(`${folder}/h`) !== undefined;
}

/** @param set as `core.hooksPath` says it; undefined for the folder of git itself */
function outside(
  repo: GitRepo,
  { path, real, set }: { path: string; real: string | undefined; set: string | undefined },
): Failure {
  const line = `Add "svc guardrails secret-scan --staged || exit 1" to ${
    quoted(`${real ?? path}/pre-commit`)
  }`;
  const leads = real === undefined ? "nowhere" : `to ${quoted(real)}, outside this repo`;
  return set === undefined
    ? new Failure("conflict", `Cannot install hooks: ${quoted(path)} is a link ${leads}`, {
      remedy: `${line}, or remove the link: rm ${shellWord(path)}`,
    })
    : new Failure(
      "conflict",
      `Cannot install hooks: core.hooksPath is ${quoted(set)}, which serves other repos too`,
      {
        remedy: `${line}, or give this repo hooks of its own: git -C ${
          shellWord(repo.root)
        } config core.hooksPath .git/hooks`,
      },
    );
}

/** Never one outside the repo, by whatever link. @throws Failure `conflict` */
async function hooksFolder(
  files: HookPorts,
  repo: GitRepo,
  everywhere: string | undefined,
): Promise<HooksFolder> {
  const own = await repo.configGet("core.hooksPath");
  const set = own ?? everywhere;
  const named = set ?? `${repo.commonDir}/hooks`;
  const path = named.startsWith("/") ? named : `${repo.root}/${named}`;
  // The home of another user, to git.
  const real = named.startsWith("~") ? undefined : await realFolder(files, path);
  if (real?.startsWith(`${repo.commonDir}/`)) return { path: real, tracked: false };
  // A setting in the user's own git configuration also serves other repos, even if it leads into this one.
  const others = own === undefined && everywhere !== undefined;
  if (others || !real?.startsWith(`${repo.root}/`)) throw outside(repo, { path, real, set });
  // Husky 9 sets `.husky/_`, recreates that folder, and runs the scripts of `.husky` from it.
  return { path: await isHusky(files, real) ? real.slice(0, -2) : real, tracked: true };
}

/** Tells by the shebang; in a tracked folder also without one, since hook tools source such files. */
function isShellScript(text: string, tracked: boolean): boolean {
  if (text.includes("\0")) return false;
  if (!text.startsWith("#!")) return tracked || text.trim() === "";
  return /^#!\s*\S*\/(?:env\s+(?:-S\s+)?)?(?:ba|da|k|z|a)?sh\b/.test(text);
}

interface PlannedHook extends HookChange {
  readonly text: string;
  readonly mode?: number;
  readonly move?: true;
}

async function planHook(files: HookPorts, folder: HooksFolder, hook: Hook): Promise<PlannedHook> {
  const path = `${folder.path}/${hook}`;
  const facts = await files.stat(path);
  const kept = `${path}${KEPT}`;
  const hasKept = await files.stat(kept) !== undefined;
  const place = { path, ...PLACE };
  const fresh = (withKept: boolean) => withBlock(FRAME, blockOf(hook, withKept), place).text;
  if (facts === undefined) {
    return { hook, path, change: "added", text: fresh(hasKept), mode: 0o755 };
  }
  const text = facts.kind === "file"
    ? byteText(await files.read(path, { maxBytes: HOOK_BYTES }))
    : undefined;
  const runs = folder.tracked || (facts.mode & 0o100) !== 0;
  if (text !== undefined && runs && isShellScript(text, folder.tracked)) {
    const owed = hasKept && !withoutBlock(text, LABEL, place).includes(`${hook}${KEPT}`);
    const edited = withBlock(text, blockOf(hook, owed), place);
    return { hook, path, ...edited, ...(hasKept && { kept }) };
  }
  if (folder.tracked || hasKept) {
    throw new Failure("conflict", `Cannot add to the hook ${quoted(path)}: it is no shell script`, {
      remedy: `Have it run "svc internal hook ${hook}" and stop when that fails`,
    });
  }
  return { hook, path, change: "added", text: fresh(true), mode: 0o755, kept, move: true };
}

/** Plans all hooks before it writes any. @param everywhere the user's own `core.hooksPath` */
export async function installHooks(
  files: HookPorts,
  repo: GitRepo,
  everywhere: string | undefined,
): Promise<HookChange[]> {
  const folder = await hooksFolder(files, repo, everywhere);
  const plans: PlannedHook[] = [];
  for (const hook of HOOKS) plans.push(await planHook(files, folder, hook));
  await files.makeFolder(folder.path);
  for (const { path, change, text, mode, kept, move } of plans) {
    if (change === "unchanged") continue;
    if (move) await files.rename(path, kept!);
    await files.writeAtomic(path, bytesOf(text), mode === undefined ? {} : { mode });
  }
  return plans.map(({ hook, path, change, kept }) => ({
    hook,
    path,
    change,
    ...(kept !== undefined && { kept }),
  }));
}

/** Returns the paths of hooks that were deleted or restored. */
export async function removeHooks(
  files: HookPorts,
  repo: GitRepo,
  everywhere: string | undefined,
): Promise<string[]> {
  const folder = await hooksFolder(files, repo, everywhere);
  const removed: string[] = [];
  for (const hook of HOOKS) {
    const path = `${folder.path}/${hook}`;
    const kind = (await files.stat(path))?.kind;
    const hasKept = await files.stat(`${path}${KEPT}`) !== undefined;
    if (kind === undefined && hasKept) {
      // An installation was cut off after the move, or svc's hook was deleted.
      await files.rename(`${path}${KEPT}`, path);
      removed.push(path);
    }
    if (kind !== "file") continue;
    const text = byteText(await files.read(path, { maxBytes: HOOK_BYTES }));
    const place = { path, ...PLACE };
    const rest = withoutBlock(text, LABEL, place);
    if (rest === text) continue;
    removed.push(path);
    if (rest === FRAME) {
      await (hasKept ? files.rename(`${path}${KEPT}`, path) : files.remove(path));
      continue;
    }
    // Somebody added to svc's hook: both go on to run.
    const owed = hasKept && !rest.includes(`${hook}${KEPT}`);
    const whole = owed ? withoutBlock(text, LABEL, place, runKept(hook)) : rest;
    await files.writeAtomic(path, bytesOf(whole));
  }
  return removed;
}

export async function installedHooks(
  files: HookPorts,
  repo: GitRepo,
  everywhere: string | undefined,
): Promise<readonly { readonly hook: Hook; readonly present: boolean }[]> {
  const folder = await hooksFolder(files, repo, everywhere);
  return await Promise.all(HOOKS.map(async (hook) => {
    const path = `${folder.path}/${hook}`;
    if ((await files.stat(path))?.kind !== "file") return { hook, present: false };
    const text = byteText(await files.read(path, { maxBytes: HOOK_BYTES }));
    return { hook, present: withoutBlock(text, LABEL, { path, ...PLACE }) !== text };
  }));
}
