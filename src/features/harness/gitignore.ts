/** svc's marked block in a repo's `.gitignore`. */
import { bytesOf, byteText, withBlock, withoutBlock } from "svc/core/marked_block.ts";
import type { Project } from "./detect.ts";
import type { PlanDraft } from "./draft.ts";
import type { Metadata } from "./metadata.ts";
import { COMPILED_PYTHON } from "./candidates/python.ts";
import { filledBy, isLockName } from "./setup_commands.ts";

const PATH = ".gitignore";
const LABEL = "svc harness";
const PLACE = { path: PATH, at: "end" } as const;
const LINES = [
  "# Keys and local state of svc; svc eject takes this block out again.",
  ".harness/.env.local",
  ".harness/local/",
  ".harness/updates/",
];

type IgnoredBy = Pick<Project, "checks" | "languages" | "setup">;

/** Paths that set-up and checks make. If git did not ignore them, they would be committed with a role's work. */
function unignored(text: string, project: IgnoredBy): string[] {
  const { setup, checks, languages } = project;
  const lines = text.split(/\r?\n/).map((line) => line.replace(/^\**\//, "").replace(/\/\**$/, ""));
  // Behind `make test`, too.
  const compiled = languages.includes("python") ? [COMPILED_PYTHON] : [];
  return [...new Set([...filledBy([...setup, ...checks]), ...compiled])]
    .filter((name) => !lines.includes(name))
    .map((name) => isLockName(name) ? name : `${name}/`);
}

export async function ignoreLocalState(
  draft: PlanDraft,
  project: IgnoredBy,
  before: Metadata["gitignore"] = "none",
): Promise<Metadata["gitignore"]> {
  const now = await draft.plain(PATH);
  if (now === undefined && draft.kept.some(({ path }) => path === PATH)) return before;
  const old = now && byteText(now.bytes);
  const others = old === undefined ? "" : withoutBlock(old, LABEL, PLACE);
  const lines = [...LINES, ...unignored(others, project)];
  const { text, change } = withBlock(old, { label: LABEL, lines }, PLACE);
  if (change === "unchanged") return before;
  await draft.write(PATH, bytesOf(text), { change: now ? "edit" : "create", over: now });
  if (now === undefined) return "file";
  return before === "none" ? "block" : before;
}

/** Removes the block, and the file when init made it and nothing else is in it. */
export async function unignoreLocalState(
  draft: PlanDraft,
  was: Metadata["gitignore"],
): Promise<void> {
  const now = await draft.plain(PATH);
  if (now === undefined) return;
  const text = byteText(now.bytes);
  const rest = withoutBlock(text, LABEL, PLACE);
  if (rest === text) return;
  if (rest === "" && was === "file") draft.remove(PATH, now);
  else await draft.write(PATH, bytesOf(rest), { change: "edit", over: now });
}
