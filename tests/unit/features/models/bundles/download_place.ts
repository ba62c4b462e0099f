/** A file to download, with its artifact, and the ports of a download into a temporary folder. */
import type { Artifact } from "svc/features/models/bundles/artifact.ts";
import { download, type DownloadPorts } from "svc/features/models/bundles/download.ts";
import type { DownloadProgress } from "svc/features/models/bundles/progress.ts";
import { systemClock } from "svc/platform/clock.ts";
import { roomAt } from "svc/platform/files/disk_space.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { partFiles } from "svc/platform/files/part_file.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

export const FILE = "tiny-Q4_K_M.gguf";

/** The same bytes for the same seed; they do not compress, and no part is like another. */
export function content(bytes: number, seed = 1): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(bytes / 4));
  let state = seed;
  for (let at = 0; at < words.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0; // Numerical Recipes' generator
    words[at] = state;
  }
  return new Uint8Array(words.buffer, 0, bytes);
}

export const sha256 = async (bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();

export async function artifactOf(
  origin: string,
  bytes: Uint8Array<ArrayBuffer>,
  more: Partial<Artifact> = {},
): Promise<Artifact> {
  const identity = {
    repo: "maker/tiny-GGUF",
    revision: "0123456789abcdef0123456789abcdef01234567",
    file: FILE,
    sha256: await sha256(bytes),
  };
  return {
    bundle: "local-cpu-q3",
    identity,
    bytes: bytes.length,
    license: { id: "Apache-2.0", url: "https://example.com/license" },
    terms_url: "https://example.com/terms",
    notice_url: "https://example.com/notice",
    url: `${origin}/${FILE}`,
    ...more,
  };
}

export interface DownloadPlace extends AsyncDisposable {
  readonly folder: string;
  /** What servers serve. */
  readonly root: string;
  /** Where the file will be. */
  readonly path: string;
  readonly reports: DownloadProgress[];
  serve(bytes: Uint8Array): Promise<void>;
  get(artifact: Artifact, more?: Partial<DownloadPorts>): Promise<void>;
  /** Names in the folder of downloads, sorted. */
  names(): string[];
}

export async function downloadPlace(): Promise<DownloadPlace> {
  const temporary = await tempFolder();
  const { path: folder } = temporary;
  const root = `${folder}/served`;
  const models = `${folder}/models`;
  await Deno.mkdir(root);
  const reports: DownloadProgress[] = [];
  return {
    folder,
    root,
    path: `${models}/${FILE}`,
    reports,
    serve: (bytes) => Deno.writeFile(`${root}/${FILE}`, bytes),
    get: (artifact, more = {}) =>
      download(
        {
          fetch,
          clock: systemClock,
          files: denoFiles(),
          parts: partFiles,
          room: roomAt,
          signal: new AbortController().signal,
          mirror: new URL(artifact.url).origin,
          report: (progress) => void reports.push(progress),
          ...more,
          limits: { segmentBytes: 128 * 1024, waitMs: 1, waitMostMs: 1, ...more.limits },
        },
        artifact,
        `${models}/${FILE}`,
      ),
    names: () => Array.from(Deno.readDirSync(models), ({ name }) => name).sort(),
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}
