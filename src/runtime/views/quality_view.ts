/** `GET /api/quality-score`: the page that `svc scores export` writes, made anew and not stored. */
import { bytesOf } from "svc/core/marked_block.ts";
import { Failure } from "svc/core/failure.ts";
import { readManifest } from "svc/features/harness/manifest.ts";
import { NO_NOTES } from "svc/features/scores/manual_notes.ts";
import { qualityPage } from "svc/features/scores/quality_page.ts";
import { oldPage, readQuality } from "svc/features/scores/read_quality.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { dashboardRead, NoLongerThere, type ReadSources } from "./read.ts";
import { UNINTERRUPTED } from "./view_ports.ts";

/** Leaves out notes whose bounds are unclear; `svc scores export` says why. */
async function notesOf(folder: Folder): Promise<string> {
  try {
    return (await oldPage(folder)).notes;
  } catch (thrown) {
    if (Failure.from(thrown).code === "conflict") return NO_NOTES;
    throw thrown;
  }
}

/**
 * The repo that was registered first, of those that can be read; undefined if none is registered.
 * @throws NoLongerThere where none can be read, with why the first cannot
 */
async function firstRepo(sources: ReadSources): Promise<Repo | undefined> {
  const { scope, opener } = sources;
  let why: Failure | undefined;
  for (const row of scope.repos.toSorted((a, b) => a.created_at - b.created_at)) {
    try {
      return await opener.open(row, { signal: UNINTERRUPTED });
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (failure.code === "internal" || failure.code === "interrupted") throw thrown;
      why ??= failure;
    }
  }
  if (why !== undefined) throw new NoLongerThere(sources.discreet(why.message));
  return undefined;
}

export const qualityRead = dashboardRead({
  name: "quality-score",
  about: "Quality score of the scoped repo, or of the first registered one that can be read.",
  query: {},
  shape: "text/markdown",
  missing: { status: 404, error: "no repo is registered" },
  async read(sources): Promise<string | undefined> {
    using repo = await firstRepo(sources);
    if (repo === undefined) return undefined;
    const { clock, db, files, home, readTree } = sources.ports;
    const { folder } = repo;
    const { manifest } = await repo.manifest();
    const quality = await readQuality({
      repo: repo.git,
      folder,
      files,
      home,
      readTree,
      clock,
      signal: UNINTERRUPTED,
      progress() {},
      parseManifest: (text) => Promise.resolve(readManifest(text)),
    }, { db, repoId: repo.id, roles: Object.keys(manifest?.roles ?? {}) });
    return new TextDecoder().decode(bytesOf(qualityPage(quality, await notesOf(folder))));
  },
});
