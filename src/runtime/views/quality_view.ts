/** `GET /api/quality-score`: the page that `svc scores export` writes, made now and not written. */
import { bytesOf } from "svc/core/marked_block.ts";
import { Failure } from "svc/core/failure.ts";
import { readManifest } from "svc/features/harness/manifest.ts";
import type { Repo } from "svc/features/repos/repo_table.ts";
import { NO_NOTES } from "svc/features/scores/manual_notes.ts";
import { qualityPage } from "svc/features/scores/quality_page.ts";
import { oldPage, readQuality } from "svc/features/scores/read_quality.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { RepoView } from "svc/runtime/repo_view.ts";
import { type Scope, UNINTERRUPTED, type ViewPorts } from "./view_ports.ts";

type Ports = Pick<ViewPorts, "clock" | "db" | "files" | "folder" | "git" | "home" | "readTree">;

/** Notes that cannot be told from the rest are left out; `svc scores export` says why. */
async function notesOf(folder: Folder): Promise<string> {
  try {
    return (await oldPage(folder)).notes;
  } catch (thrown) {
    if (Failure.from(thrown).code === "conflict") return NO_NOTES;
    throw thrown;
  }
}

/** Of the repo that was registered first; undefined when there is none. @throws Failure as a scan */
export async function qualityView(
  ports: Ports,
  { repos }: Pick<Scope, "repos">,
  look: (repo: Repo) => Promise<RepoView>,
): Promise<string | undefined> {
  const [first] = repos.toSorted((a, b) => a.created_at - b.created_at);
  if (first === undefined) return undefined;
  const { clock, db, files, home, readTree } = ports;
  const { manifest } = await look(first);
  const repo = await ports.git.open(first.path, { signal: UNINTERRUPTED });
  using folder = await ports.folder(first.path);
  const quality = await readQuality({
    repo,
    folder,
    files,
    home,
    readTree,
    clock,
    signal: UNINTERRUPTED,
    progress() {},
    parseManifest: (text) => Promise.resolve(readManifest(text)),
  }, { db, repoId: first.id, roles: Object.keys(manifest?.roles ?? {}) });
  return new TextDecoder().decode(bytesOf(qualityPage(quality, await notesOf(folder))));
}
