/** What a download would fetch, in a stable order, with everything that a person has to know before they agree. */
import type { Bundle, Server } from "svc/features/models/choose/registry.ts";
import type { Files } from "svc/platform/files/files.ts";
import { type Artifact, modelArtifact, serverArtifact, sorted } from "./artifact.ts";

export interface PlannedArtifact extends Artifact {
  /** Where it will be. */
  readonly path: string;
  /** Bytes that an earlier download left there. */
  readonly have: number;
}

export interface DownloadPlan {
  /** Only what is missing; by bundle, repo and file. */
  readonly artifacts: readonly PlannedArtifact[];
  /** What would come over the network. */
  readonly bytes: number;
}

export interface PlanPlaces {
  /** `~/.svc/models`, where downloads go. */
  readonly models: string;
  /** `~/.svc/bin`, for builds of the server. */
  readonly bin: string;
  /** Other folders of the user's config in which model files may lie. */
  readonly folders: readonly string[];
}

const at = (folder: string, { identity }: Artifact) =>
  `${folder}/${identity.repo.replace("/", "--")}/${
    identity.revision.slice(0, 12)
  }/${identity.file}`;

/** A file of the user's own is known by its name and size; its digest is asked for where it is used. */
export async function findFile(
  { stat }: Pick<Files, "stat">,
  artifact: Artifact,
  { models, folders }: Pick<PlanPlaces, "models" | "folders">,
): Promise<string | undefined> {
  const own = at(models, artifact);
  for (const path of [own, ...folders.map((folder) => `${folder}/${artifact.identity.file}`)]) {
    const facts = await stat(path);
    if (facts?.kind === "file" && facts.size === artifact.bytes) return path;
  }
}

export const modelPath = (models: string, artifact: Artifact) => at(models, artifact);

async function pending(
  { stat }: Pick<Files, "stat">,
  artifact: Artifact,
  path: string,
): Promise<PlannedArtifact> {
  const part = await stat(`${path}.part`);
  return { ...artifact, path, have: Math.min(part?.size ?? 0, artifact.bytes) };
}

/** The files of a bundle that are missing, and of a server if svc can install one on this system. */
export async function downloadPlan(
  files: Pick<Files, "stat">,
  places: PlanPlaces,
  wanted: {
    readonly bundles: readonly Bundle[];
    readonly server?: Server | undefined;
    readonly mirror?: string | undefined;
  },
): Promise<DownloadPlan> {
  const artifacts: PlannedArtifact[] = [];
  for (const bundle of wanted.bundles) {
    const artifact = modelArtifact(bundle, wanted.mirror);
    if (await findFile(files, artifact, places) !== undefined) continue;
    artifacts.push(await pending(files, artifact, at(places.models, artifact)));
  }
  if (wanted.server !== undefined) {
    const artifact = serverArtifact(wanted.server, wanted.mirror);
    const path = at(places.bin, artifact);
    if (await files.stat(path) === undefined) artifacts.push(await pending(files, artifact, path));
  }
  const bytes = artifacts.reduce((sum, { bytes, have }) => sum + bytes - have, 0);
  return { artifacts: sorted(artifacts), bytes };
}
