/** Fetches one artifact into the models folder: goes on where it was, and gives it its name when it is right. */
import { Failure } from "svc/core/failure.ts";
import { type Clock, within } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { PartFile, PartFiles } from "svc/platform/files/part_file.ts";
import type { Artifact } from "./artifact.ts";
import { downloadFault } from "./download_faults.ts";
import { bytesText, type DownloadProgress, Rate } from "./progress.ts";
import { askRange, OtherFile, PassingFault, type RangeAnswer } from "./ranged_fetch.ts";
import { CONNECTIONS, inOrder, type Segment, SEGMENT_BYTES, segmentsOf } from "./segments.ts";

export interface DownloadLimits {
  /** After this long without data the connection is dropped, and the range is requested again. */
  readonly stallMs: number;
  /** Doubles from try to try, up to `waitMostMs`; a server may ask for more, up to `serverWaitMostMs`. */
  readonly waitMs: number;
  readonly waitMostMs: number;
  readonly serverWaitMostMs: number;
  /** Tries in a row that brought less than `progressBytes`. */
  readonly tries: number;
  readonly progressBytes: number;
  readonly segmentBytes: number;
  readonly connections: number;
  /** Left free on the disk, for all else that writes there. */
  readonly spareBytes: number;
}

export const DOWNLOAD_LIMITS: DownloadLimits = {
  stallMs: 30_000,
  waitMs: 1_000,
  waitMostMs: 30_000,
  serverWaitMostMs: 300_000,
  tries: 8,
  progressBytes: 64 * 1024,
  segmentBytes: SEGMENT_BYTES,
  connections: CONNECTIONS,
  spareBytes: 512 * 1024 * 1024,
};

export interface DownloadPorts {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly files: Pick<Files, "makeFolder" | "readText" | "remove" | "stat" | "writeAtomic">;
  readonly parts: PartFiles;
  /** Bytes that may still be written at a path. */
  readonly room: (path: string) => Promise<number>;
  readonly signal: AbortSignal;
  /** A mirror: another origin that has the file at the same path. */
  readonly mirror?: string | undefined;
  readonly limits?: Partial<DownloadLimits>;
  readonly report: (progress: DownloadProgress) => void;
}

/** One download under way. */
interface Run {
  readonly ports: DownloadPorts;
  readonly limits: DownloadLimits;
  readonly artifact: Artifact;
  readonly part: PartFile;
  readonly etagPath: string;
  readonly say: (more?: Partial<DownloadProgress>) => void;
  /** Where the file lies, as the last answer said; a signed address is used until it expires. */
  place: string;
  etag: string | undefined;
}

async function mustFit(
  { room }: DownloadPorts,
  { spareBytes }: DownloadLimits,
  { artifact, folder, have }: {
    readonly artifact: Artifact;
    readonly folder: string;
    readonly have: number;
  },
): Promise<void> {
  const needed = artifact.bytes - have;
  const free = await room(folder);
  if (free >= needed + spareBytes) return;
  throw downloadFault(
    artifact,
    `it takes ${bytesText(needed)} more and ${bytesText(spareBytes)} to spare, and ` +
      `${bytesText(free)} are free in "${folder}"`,
    { remedy: `Free space there, or link ${folder} to a larger disk: df -h ${folder}` },
  );
}

/** Pipes one answer into `push`. @throws PassingFault when it is cut off or falls silent */
async function taken(
  { ports: { clock }, limits }: Run,
  body: ReadableStream<Uint8Array>,
  wanted: number,
  push: (chunk: Uint8Array) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const reader = body.getReader();
  let left = wanted;
  try {
    while (left > 0) {
      const read = reader.read();
      // Once the answer has begun, Deno may collect what ties it to its signal: a read would go on.
      const came = await within(clock, limits.stallMs, read, signal);
      signal.throwIfAborted();
      if (!came) throw new PassingFault(`nothing came for ${limits.stallMs / 1000} s`);
      const { done, value } = await read;
      if (done) throw new PassingFault("the connection was cut off");
      // The first answer may go on behind its segment.
      const chunk = value.subarray(0, left);
      left -= chunk.length;
      await push(chunk);
    }
  } finally {
    // Also of a stream that failed, whose error was told already.
    await reader.cancel().catch(() => {});
  }
}

/** What a failed read says; the texts of connections that break are those of the runtime. */
function passing(thrown: unknown, signal: AbortSignal): PassingFault | undefined {
  if (signal.aborted || thrown instanceof OtherFile || thrown instanceof Failure) return undefined;
  if (thrown instanceof PassingFault) return thrown;
  if (!(thrown instanceof Error)) return undefined;
  const broken = /error reading a body|connection|incomplete|closed|reset|decoding/i;
  return broken.test(thrown.message) ? new PassingFault("the connection was cut off") : undefined;
}

const spent = (artifact: Artifact, cause: PassingFault, tries: number) =>
  downloadFault(artifact, `${cause.message}, ${tries} times in a row`, {
    cause,
    ...(cause.remedy !== undefined && { remedy: cause.remedy }),
  });

async function pause(run: Run, fault: PassingFault, tries: number, signal: AbortSignal) {
  const { limits, ports: { clock } } = run;
  const asked = fault.retryAfterMs ?? 0;
  if (asked > limits.serverWaitMostMs) {
    throw downloadFault(
      run.artifact,
      `${fault.message}, and asks for ${Math.ceil(asked / 60_000)} minutes of patience`,
    );
  }
  const own = Math.min(limits.waitMostMs, limits.waitMs * 2 ** (tries - 1));
  run.say({ waits: fault.message });
  await clock.sleep(Math.max(asked, own), signal);
  signal.throwIfAborted();
}

/** Fetches a segment, and goes on in it after each fault that passes. */
async function fetchSegment(
  run: Run,
  { from, to }: Segment,
  push: (chunk: Uint8Array) => Promise<void>,
  signal: AbortSignal,
  first?: RangeAnswer,
): Promise<void> {
  const { ports, artifact, limits } = run;
  const range = { ...ports, stallMs: limits.stallMs };
  let at = from;
  let answer = first;
  for (let tries = 1, since = from; at < to; tries++) {
    try {
      answer ??= await askRange(
        range,
        artifact,
        { url: run.place, from: at, to, etag: run.etag },
        signal,
      );
      if (!answer.ranged && at > 0) throw new OtherFile("it sent the whole file");
      run.place = answer.url;
      run.etag ??= answer.etag;
      await taken(run, answer.body, to - at, async (chunk) => {
        at += chunk.length;
        await push(chunk);
      }, signal);
    } catch (thrown) {
      const fault = passing(thrown, signal);
      if (fault === undefined) throw thrown;
      if (fault.expired) run.place = artifact.url;
      if (at - since >= limits.progressBytes) [tries, since] = [1, at];
      if (tries >= limits.tries) {
        throw spent(artifact, fault, tries);
      }
      await pause(run, fault, tries, signal);
    }
    answer = undefined;
  }
}

/** The first answer tells whether the server takes ranges, and where the file lies. */
async function firstAnswer(run: Run, signal: AbortSignal): Promise<RangeAnswer> {
  const { ports, artifact, part, limits } = run;
  const range = { ...ports, stallMs: limits.stallMs };
  for (let tries = 1;; tries++) {
    const { size: from } = part;
    const asked = { url: run.place, from, to: artifact.bytes, etag: run.etag };
    try {
      return await askRange(range, artifact, asked, signal);
    } catch (thrown) {
      const fault = passing(thrown, signal);
      if (fault === undefined) throw thrown;
      if (fault.expired) run.place = artifact.url;
      if (tries >= limits.tries) {
        throw spent(artifact, fault, tries);
      }
      await pause(run, fault, tries, signal);
    }
  }
}

async function fill(run: Run): Promise<void> {
  const { ports, artifact, part, limits } = run;
  const first = await firstAnswer(run, ports.signal);
  run.place = first.url;
  if (!first.ranged && part.size > 0) await part.empty();
  if (run.etag !== first.etag) {
    run.etag = first.etag;
    // That of another server would make this one send the whole file again, each time that it goes on.
    if (first.etag === undefined) await removeWhere(ports, run.etagPath);
    else await ports.files.writeAtomic(run.etagPath, `${first.etag}\n`);
  }
  const { size } = part;
  const segments = first.ranged
    ? segmentsOf(size, artifact.bytes, limits.segmentBytes)
    : [{ from: size, to: artifact.bytes }];
  let opening: RangeAnswer | undefined = first;
  const chunks = inOrder(segments, limits.connections, async (segment, push, stop) => {
    const answer = segment.from === size ? opening : undefined;
    if (answer !== undefined) opening = undefined;
    const signal = AbortSignal.any([ports.signal, stop]);
    await fetchSegment(run, segment, push, signal, answer);
  });
  for await (const chunk of chunks) {
    await part.append(chunk);
    run.say();
  }
}

/**
 * If the file changes on its server, the download is started again once; since its digest is known, a wrong
 * file cannot stay.
 */
async function fillTwice(run: Run): Promise<void> {
  try {
    await fill(run);
  } catch (thrown) {
    if (!(thrown instanceof OtherFile)) throw thrown;
    await run.part.empty();
    [run.place, run.etag] = [run.artifact.url, undefined];
    try {
      await fill(run);
    } catch (again) {
      if (!(again instanceof OtherFile)) throw again;
      throw downloadFault(run.artifact, `${again.message}, twice`, { cause: again });
    }
  }
}

async function storedEtag({ files }: DownloadPorts, path: string): Promise<string | undefined> {
  if (await files.stat(path) === undefined) return undefined;
  const text = (await files.readText(path, { maxBytes: 1024, lossy: true })).trim();
  // It goes into a header.
  return /^"[\x21\x23-\x7e]{0,512}"$/.test(text) ? text : undefined;
}

async function mustBeRight({ artifact, part, ports, etagPath }: Run): Promise<void> {
  const digest = part.digest();
  if (digest === artifact.identity.sha256) return;
  await part.remove();
  await removeWhere(ports, etagPath);
  throw downloadFault(
    artifact,
    `it has the sha256 ${digest}, and the plan says ${artifact.identity.sha256}; it was deleted`,
    {
      code: "failed",
      remedy: "svc setup --download --yes begins anew; if it happens again, " +
        "something on the way changes the file",
    },
  );
}

async function removeWhere({ files }: Pick<DownloadPorts, "files">, path: string): Promise<void> {
  if (await files.stat(path) !== undefined) await files.remove(path);
}

/**
 * Returns when the file has its name, and the digest that the plan says.
 * @throws Failure `environment` for what the network or the disk cannot, `refused` for a redirect elsewhere,
 * `failed` for other bytes, which are deleted, `conflict` beside another download of it, `interrupted`
 */
export async function download(
  ports: DownloadPorts,
  artifact: Artifact,
  path: string,
): Promise<void> {
  const limits = { ...DOWNLOAD_LIMITS, ...ports.limits };
  const folder = path.slice(0, path.lastIndexOf("/"));
  await ports.files.makeFolder(folder);
  const { bundle, identity: { file }, bytes } = artifact;
  const about = { bundle, file, bytes };
  using part = await ports.parts.open(
    `${path}.part`,
    (done) => ports.report({ ...about, done, checking: true }),
  );
  if (part === undefined) {
    throw downloadFault(artifact, "another svc downloads it now", {
      code: "conflict",
      remedy: "Wait until it is done, then run the same svc setup again",
    });
  }
  if (part.size > bytes) await part.empty();
  const rate = new Rate();
  const etagPath = `${path}.part.etag`;
  const say: Run["say"] = (more = {}) => {
    const speed = rate.at(ports.clock.monotonic(), part.size);
    const leftMs = speed ? (bytes - part.size) / speed * 1000 : undefined;
    const told = speed && leftMs !== undefined ? { bytesPerSecond: speed, leftMs } : {};
    ports.report({ ...about, done: part.size, ...told, ...more });
  };
  const etag = part.size === 0 ? undefined : await storedEtag(ports, etagPath);
  const run: Run = { ports, limits, artifact, part, etagPath, say, place: artifact.url, etag };
  await mustFit(ports, limits, { artifact, folder, have: part.size });
  if (part.size < bytes) await fillTwice(run);
  await mustBeRight(run);
  await part.become(path);
  await removeWhere(ports, etagPath);
}
