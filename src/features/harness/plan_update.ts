/** Plans `update harness`: fills what is missing, refreshes what nobody changed, offers the rest. */
import { sha256 } from "svc/core/digest.ts";
import { bytesOf, byteText } from "svc/core/marked_block.ts";
import { compareSemver, parseSemver } from "svc/core/semver.ts";
import { VERSION } from "svc/core/version.ts";
import { Failure } from "svc/core/failure.ts";
import { isStrange } from "svc/platform/files/journal_target.ts";
import { type DefaultFile, defaultFiles } from "./defaults.ts";
import type { Project } from "./detect.ts";
import { encode, PlanDraft, type PlanTarget } from "./draft.ts";
import { keepUnformatted } from "./formatter_ignore.ts";
import { ignoreLocalState } from "./gitignore.ts";
import { MANIFEST_PATH } from "./manifest_path.ts";
import { type CreatedFile, type Metadata } from "./metadata.ts";
import { routingText } from "./model_routing.ts";
import { isNeeded, writeMetadata } from "./plan_init.ts";

/** A newer default, offered beside a file that somebody changed. */
interface UpdateOffer {
  readonly path: string;
  readonly base: string;
  readonly newer: string;
}

interface UpdatePlan {
  readonly draft: PlanDraft;
  readonly offers: readonly UpdateOffer[];
}

const UPDATES = ".harness/updates";

function offerOf(path: string): UpdateOffer {
  const at = `${UPDATES}/${path.replace(/^\.harness\//, "harness/")}`;
  return { path, base: `${at}.base`, newer: `${at}.new` };
}

async function put(draft: PlanDraft, path: string, text: string): Promise<void> {
  const over = await draft.plain(path);
  if (draft.kept.some((kept) => kept.path === path)) return;
  await draft.write(path, encode(text), { change: over ? "refresh" : "create", over });
}

/** Removes a settled proposal: the file equals it. */
async function withdraw(draft: PlanDraft, { base, newer }: UpdateOffer): Promise<void> {
  for (const path of [base, newer]) {
    const now = await draft.now(path);
    if (now !== undefined && !isStrange(now)) draft.remove(path, now);
  }
}

interface PlannedFile {
  readonly created?: CreatedFile;
  readonly offer?: UpdateOffer;
}

async function planFile(
  draft: PlanDraft,
  { path, owner, text }: DefaultFile,
  known: CreatedFile | undefined,
): Promise<PlannedFile> {
  const same = known === undefined ? {} : { created: known };
  if (!await isNeeded(draft, path)) return same;
  const sum = await sha256(encode(text));
  const now = await draft.plain(path);
  if (now === undefined) {
    if (draft.kept.some((kept) => kept.path === path)) return same;
    await draft.write(path, encode(text), { change: "create", over: undefined });
    return { created: { sha256: sum, text } };
  }
  // svc never wrote this file: there is no common ancestor to merge with.
  if (known === undefined) return {};
  if (now.sha256 === sum) {
    await withdraw(draft, offerOf(path));
    return { created: { sha256: sum, text } };
  }
  if (known.sha256 === sum) return same;
  if (owner === "svc" && now.sha256 === known.sha256) {
    await draft.write(path, encode(text), { change: "refresh", over: now, diff: true });
    return { created: { sha256: sum, text } };
  }
  const offer = offerOf(path);
  if (known.offered === sum) {
    return await draft.now(offer.newer) === undefined ? same : { ...same, offer };
  }
  await put(draft, offer.base, known.text);
  await put(draft, offer.newer, text);
  return { created: { ...known, offered: sum }, offer };
}

const STAMP = /^(harness_version:[ \t]*)"?[\w.+-]+"?/m;
const stamped = (text: string) => text.replace(STAMP, `$1${VERSION}`);

/** Writes svc's version, by which drift is measured, and no other byte. @returns the manifest's new record */
async function stampManifest(draft: PlanDraft, known: CreatedFile | undefined) {
  const over = await draft.plain(MANIFEST_PATH);
  const now = over && byteText(over.bytes);
  if (now !== undefined && stamped(now) !== now) {
    await draft.write(MANIFEST_PATH, bytesOf(stamped(now)), { change: "edit", over });
  }
  if (known === undefined) return {};
  const text = stamped(known.text);
  return { [MANIFEST_PATH]: { ...known, text, sha256: await sha256(encode(text)) } };
}

/** How old a harness is beside this svc: negative for an older one; undefined where it is of no version. */
export function ageOf({ tool_version }: Pick<Metadata, "tool_version">): number | undefined {
  const [made, own] = [tool_version, VERSION].map((text) =>
    parseSemver(text.replace(/^v(?=\d)/, ""))
  );
  return made && own && compareSemver(made, own);
}

function refuseNewer(before: Metadata): void {
  if ((ageOf(before) ?? 0) <= 0) return;
  const { tool_version: made } = before;
  throw new Failure(
    "conflict",
    `Cannot update the harness: it is of svc ${made}, and this is svc ${VERSION}`,
    { remedy: "svc update tool" },
  );
}

/** @throws Failure `conflict` when the repo has no harness, or one of a newer svc */
export async function planUpdate(
  target: PlanTarget,
  { before, project, defaults = defaultFiles }: {
    before: Metadata | undefined;
    project: Project;
    defaults?: typeof defaultFiles;
  },
): Promise<UpdatePlan> {
  const draft = new PlanDraft(target);
  if (await draft.now(MANIFEST_PATH) === undefined && before === undefined) {
    throw new Failure("conflict", `Cannot update the harness: there is no "${MANIFEST_PATH}"`, {
      remedy: "svc init",
    });
  }
  const routing = before?.routing ?? { mode: "defer" };
  const facts = { ...before?.project ?? project, setup: before?.project.setup ?? project.setup };
  if (before !== undefined) refuseNewer(before);
  const known: Record<string, CreatedFile> = {
    ...before?.files,
    ...await stampManifest(draft, before?.files[MANIFEST_PATH]),
  };
  const files: Record<string, CreatedFile> = { ...known };
  const offers: UpdateOffer[] = [];
  for (const file of defaults(facts, routingText(routing))) {
    const { created, offer } = await planFile(draft, file, known[file.path]);
    if (created !== undefined) files[file.path] = created;
    if (offer !== undefined) offers.push(offer);
  }
  const gitignore = await ignoreLocalState(draft, facts, before?.gitignore);
  await keepUnformatted(draft);
  // Folders of proposals are removed with `.harness/`.
  const made = draft.madeFolders.filter((folder) => !folder.startsWith(UPDATES));
  const folders = [...new Set([...before?.folders ?? [], ...made])];
  await writeMetadata(draft, { project: facts, routing, files, folders, gitignore });
  return { draft, offers };
}
