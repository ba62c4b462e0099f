/**
 * svc's marked block in `.prettierignore`, in a repo that uses Prettier. Where `prettier --check .` is a check, svc's own
 * files would turn it red for good, and a check that is red already judges no work.
 */
import { bytesOf, byteText, withBlock, withoutBlock } from "svc/core/marked_block.ts";
import type { PlanDraft } from "./draft.ts";
import { jsonObject } from "./json_text.ts";

const PATH = ".prettierignore";
const LABEL = "svc harness";
const PLACE = { path: PATH, at: "end" } as const;
const LINES = [
  "# Written by svc, not formatted; svc eject takes this block out again.",
  ".harness/",
  "docs/tickets/",
];

/** Where Prettier looks for settings in the root (prettier.io, Configuration File). */
const SETTINGS = /^(?:\.prettierrc(?:\.\w+)?|prettier\.config\.\w+|\.prettierignore)$/;
const PACKAGE_BYTES = 256 * 1024;

async function usesPrettier({ folder }: PlanDraft["target"]): Promise<boolean> {
  const { entries } = await folder.list(".");
  if (entries.some(({ name }) => SETTINGS.test(name))) return true;
  if ((await folder.stat("package.json"))?.kind !== "file") return false;
  const { bytes } = await folder.read("package.json", { maxBytes: PACKAGE_BYTES });
  const all = jsonObject(new TextDecoder().decode(bytes));
  const { devDependencies, dependencies } = all;
  return [all, devDependencies, dependencies]
    .some((one) => typeof one === "object" && one !== null && Object.hasOwn(one, "prettier"));
}

export async function keepUnformatted(draft: PlanDraft): Promise<void> {
  if (!await usesPrettier(draft.target)) return;
  const now = await draft.plain(PATH);
  if (now === undefined && draft.kept.some(({ path }) => path === PATH)) return;
  const old = now && byteText(now.bytes);
  const { text, change } = withBlock(old, { label: LABEL, lines: LINES }, PLACE);
  if (change === "unchanged") return;
  await draft.write(PATH, bytesOf(text), { change: now ? "edit" : "create", over: now });
}

/** Removes the block, and the file where nothing else is in it. */
export async function formatAgain(draft: PlanDraft): Promise<void> {
  const now = await draft.plain(PATH);
  if (now === undefined) return;
  const text = byteText(now.bytes);
  const rest = withoutBlock(text, LABEL, PLACE);
  if (rest === text) return;
  if (rest === "") draft.remove(PATH, now);
  else await draft.write(PATH, bytesOf(rest), { change: "edit", over: now });
}
