/** Plans `init`: which files a repo lacks, which are there and stay, which `--force` replaces. */
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import { type DefaultFile, defaultFiles, ROUTING_PATH } from "./defaults.ts";
import type { Project } from "./detect.ts";
import { encode, PlanDraft, type PlanTarget } from "./draft.ts";
import { keepUnformatted } from "./formatter_ignore.ts";
import { ignoreLocalState } from "./gitignore.ts";
import { MANIFEST_PATH } from "./manifest_path.ts";
import { type CreatedFile, type Metadata, METADATA_PATH, metadataText } from "./metadata.ts";
import { type Routing, routingText } from "./model_routing.ts";

interface InitOptions {
  readonly project: Project;
  readonly routing: Routing;
  readonly routingGiven: boolean;
  readonly force: boolean;
  readonly before: Metadata | undefined;
}

function alreadyThere(): Failure {
  return new Failure("conflict", `Cannot init: "${MANIFEST_PATH}" is there already`, {
    remedy: "svc update harness adds what is missing; svc init --force replaces what is generated",
  });
}

const isEmptyMarker = (path: string) => path.endsWith("/.gitkeep");

/** A folder with files needs no `.gitkeep`. */
export async function isNeeded(draft: PlanDraft, path: string): Promise<boolean> {
  if (!isEmptyMarker(path)) return true;
  const folder = path.slice(0, path.lastIndexOf("/"));
  if ((await draft.target.folder.stat(folder))?.kind !== "folder") return true;
  return (await draft.target.folder.list(folder)).entries.length === 0;
}

/** `--force` replaces inside `.harness/` and init's own files; never the user's other files. */
function mayReplace({ path, owner }: DefaultFile, { before, routingGiven }: InitOptions): boolean {
  if (path === ROUTING_PATH) return routingGiven;
  if (path.startsWith(".harness/")) return true;
  return owner === "svc" && before?.files[path] !== undefined;
}

async function planFile(
  draft: PlanDraft,
  file: DefaultFile,
  asked: InitOptions,
): Promise<CreatedFile | undefined> {
  const { force, before } = asked;
  const { path, text } = file;
  const content = encode(text);
  const known = before?.files[path];
  const created = { sha256: await sha256(content), text };
  if (!await isNeeded(draft, path)) return known;
  const now = await draft.plain(path);
  if (now === undefined) {
    if (draft.kept.some((kept) => kept.path === path)) return known;
    await draft.write(path, content, { change: "create", over: undefined });
    return created;
  }
  if (now.sha256 === created.sha256) return known;
  if (!force || !mayReplace(file, asked)) {
    draft.keep(path, "it is there already");
    return known;
  }
  draft.backups.set(path, now.bytes);
  await draft.write(path, content, { change: "replace", over: now, diff: true });
  return created;
}

/** @throws Failure `conflict` when the repo has a harness and `--force` is not given */
export async function planInit(target: PlanTarget, asked: InitOptions): Promise<PlanDraft> {
  const draft = new PlanDraft(target);
  const { project, routing, before } = asked;
  if (!asked.force && await draft.now(MANIFEST_PATH) !== undefined) throw alreadyThere();
  const files: Record<string, CreatedFile> = { ...before?.files };
  for (const file of defaultFiles(project, routingText(routing))) {
    const created = await planFile(draft, file, asked);
    if (created !== undefined) files[file.path] = created;
  }
  const gitignore = await ignoreLocalState(draft, project, before?.gitignore);
  await keepUnformatted(draft);
  const folders = [...new Set([...before?.folders ?? [], ...draft.madeFolders])];
  await writeMetadata(draft, { project, routing, files, folders, gitignore });
  return draft;
}

/** Written last: everything it lists exists by then. */
export async function writeMetadata(
  draft: PlanDraft,
  metadata: Omit<Metadata, "format" | "tool_version">,
): Promise<void> {
  const over = await draft.plain(METADATA_PATH);
  const change = over === undefined ? "create" : "refresh";
  await draft.write(METADATA_PATH, encode(metadataText(metadata)), { change, over });
}
