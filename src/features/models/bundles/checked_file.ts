/** Whether a model file on this machine has the bytes that its bundle names; read whole once, then by its marks. */
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { PartFiles } from "svc/platform/files/part_file.ts";
import type { Artifact } from "./artifact.ts";
import { findFile, modelPath, type PlanPlaces } from "./plan.ts";

export interface CheckPorts {
  readonly files: Pick<Files, "makeFolder" | "readText" | "stat" | "writeAtomic">;
  readonly parts: Pick<PartFiles, "digestOf">;
  readonly home: { readonly cache: string };
  readonly signal: AbortSignal;
  /** Bytes that were read so far. */
  readonly read: (bytes: number) => void;
}

/** Names the bundle: without it setup would download the one that fits this machine best. */
const wayOut = ({ bundle }: Artifact) =>
  `svc setup --inference local --local-bundle ${bundle} --download; or take another model: ` +
  "--model-endpoint <url>";

function unfit(artifact: Artifact, why: string, before = ""): Failure {
  const what = `Cannot run the local model "${artifact.bundle}": ${why}`;
  return new Failure("environment", what, { remedy: before + wayOut(artifact) });
}

const recordPath = ({ home }: CheckPorts, { identity }: Artifact) =>
  `${home.cache}/models/${identity.sha256}`;

/** What a file is known by until something writes to it (inode(7)). */
async function marksOf({ files }: CheckPorts, path: string): Promise<string> {
  const facts = await files.stat(path);
  return JSON.stringify([path, facts?.size, facts?.mtimeMs, facts?.inode]);
}

/** Its digest was seen to be right just now. */
export async function keepChecked(
  ports: CheckPorts,
  artifact: Artifact,
  path: string,
): Promise<void> {
  await ports.files.makeFolder(`${ports.home.cache}/models`);
  await ports.files.writeAtomic(recordPath(ports, artifact), await marksOf(ports, path));
}

async function wasChecked(ports: CheckPorts, artifact: Artifact, path: string): Promise<boolean> {
  const record = recordPath(ports, artifact);
  if (await ports.files.stat(record) === undefined) return false;
  const text = await ports.files.readText(record, { maxBytes: 64 * 1024, lossy: true });
  return text === await marksOf(ports, path);
}

/**
 * Returns where the file is.
 * @throws Failure `environment` for a file that is missing or has other bytes, with the way out
 */
export async function checkedFile(
  ports: CheckPorts,
  artifact: Artifact,
  places: Pick<PlanPlaces, "models" | "folders">,
): Promise<string> {
  const path = await findFile(ports.files, artifact, places);
  const { identity: { file, sha256 }, bytes } = artifact;
  if (path === undefined) {
    const own = modelPath(places.models, artifact);
    const there = await ports.files.stat(own);
    if (there === undefined) throw unfit(artifact, `its file "${file}" is missing`);
    throw unfit(artifact, `its file "${own}" has ${there.size} bytes instead of ${bytes}`);
  }
  if (await wasChecked(ports, artifact, path)) return path;
  const digest = await ports.parts.digestOf(path, ports.read, ports.signal);
  if (digest !== sha256) {
    const why = `its file "${path}" has other bytes: sha256 ${digest}, not ${sha256}`;
    // Setup takes a file of that name and size for the right one, and would download nothing.
    throw unfit(artifact, why, `mv ${shellWord(path)} ${shellWord(`${path}.wrong`)}; then: `);
  }
  await keepChecked(ports, artifact, path);
  return path;
}
