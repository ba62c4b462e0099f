/** One download as a program of its own, which a test may kill: `<artifact as JSON> <path> [bytes of a segment]`. */
import type { Artifact } from "svc/features/models/bundles/artifact.ts";
import { download } from "svc/features/models/bundles/download.ts";
import { systemClock } from "svc/platform/clock.ts";
import { keepLoopbackOffProxies } from "svc/platform/entrance.ts";
import { roomAt } from "svc/platform/files/disk_space.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { partFiles } from "svc/platform/files/part_file.ts";

const [artifact, path, segment] = Deno.args;
const parsed = JSON.parse(artifact!) as Artifact;
keepLoopbackOffProxies();
await download(
  {
    fetch,
    clock: systemClock,
    files: denoFiles(),
    parts: partFiles,
    room: roomAt,
    signal: new AbortController().signal,
    mirror: new URL(parsed.url).origin,
    report: () => {},
    limits: { segmentBytes: Number(segment ?? 128 * 1024) },
  },
  parsed,
  path!,
);
