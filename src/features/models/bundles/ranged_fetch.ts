/** Asks for bytes of one file over HTTP: follows redirects within the allowed hosts, and judges each answer. */
import { connectionFault } from "svc/core/connection_faults.ts";
import { Failure } from "svc/core/failure.ts";
import { type Clock, within } from "svc/platform/clock.ts";
import { refusedHost } from "./allowed_hosts.ts";
import type { Artifact } from "./artifact.ts";
import { downloadFault } from "./download_faults.ts";

/** Hops from the file's address to where it lies; Hugging Face takes one or two. */
const REDIRECTS = 5;

/** Passes by itself: the same is asked again after a while. */
export class PassingFault extends Error {
  constructor(
    message: string,
    readonly retryAfterMs?: number,
    /** What was signed for a while is no longer valid: the file's own address is asked again. */
    readonly expired = false,
    /** What helps if it does not pass. */
    readonly remedy?: string,
  ) {
    super(message);
  }
}

/** The server holds another file than before: what was taken of the old one is of no use. */
export class OtherFile extends Error {}

export interface RangeRequest {
  readonly url: string;
  /** First byte. */
  readonly from: number;
  /** First byte that is not wanted; the whole rest where it is the file's size. */
  readonly to: number;
  /** The one of an earlier answer; weak ones cannot be used here (RFC 9110, section 13.1.5). */
  readonly etag: string | undefined;
}

export interface RangeAnswer {
  readonly body: ReadableStream<Uint8Array>;
  /** False: the server sends the whole file, from its first byte. */
  readonly ranged: boolean;
  /** Where the file lies, after redirects. */
  readonly url: string;
  readonly etag: string | undefined;
}

export interface RangePorts {
  readonly fetch: typeof fetch;
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** How long a server may take to begin its answer. */
  readonly stallMs: number;
  readonly mirror?: string | undefined;
}

export const strong = (etag: string | null | undefined): string | undefined =>
  etag?.startsWith('"') ? etag : undefined;

/** Seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,6}$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function headersFor({ from, to, etag }: RangeRequest, artifact: Artifact): Headers {
  const last = to === artifact.bytes ? "" : String(to - 1);
  // A compressed answer would have other bytes and another length than the file.
  const headers = new Headers({ "accept-encoding": "identity", range: `bytes=${from}-${last}` });
  if (from > 0 && etag !== undefined) headers.set("if-range", etag);
  return headers;
}

/** @throws PassingFault for a network that fails, and for a server that says nothing */
async function answered(
  { fetch, clock, stallMs }: RangePorts,
  artifact: Artifact,
  url: string,
  headers: Headers,
  signal: AbortSignal,
): Promise<Response> {
  const late = new AbortController();
  try {
    const response = fetch(url, {
      headers,
      redirect: "manual",
      signal: AbortSignal.any([signal, late.signal]),
    });
    if (await within(clock, stallMs, response)) return await response;
    late.abort();
    await response.catch(() => {});
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const why = thrown instanceof Error ? causeOf(thrown) : String(thrown);
    if (/proxy authentication required/i.test(why)) {
      throw downloadFault(artifact, "the proxy here asks for a login", {
        remedy: "Name it in the proxy's address: export HTTPS_PROXY=http://name:password@host:port",
      });
    }
    const closed = connectionFault(why);
    if (closed?.lasts === false) {
      throw new PassingFault(closed.why, undefined, false, closed.remedy);
    }
    const [certificate] = /invalid peer certificate: \w+/.exec(why) ?? [];
    if (certificate === undefined) throw new PassingFault(why);
    throw downloadFault(artifact, certificate, {
      remedy: "Where a proxy here stands in for all hosts, name its certificate: " +
        "export DENO_CERT=/path/to/ca.pem",
    });
  }
  throw new PassingFault(`nothing came for ${stallMs / 1000} s`);
}

/** @throws Failure `refused` for a place that is not allowed, PassingFault for a network that fails */
async function followed(
  ports: RangePorts,
  artifact: Artifact,
  asked: RangeRequest,
  signal: AbortSignal,
): Promise<{ readonly response: Response; readonly url: string }> {
  const headers = headersFor(asked, artifact);
  let { url } = asked;
  for (let hops = 0;; hops++) {
    const refused = refusedHost(url, ports.mirror);
    if (refused !== undefined) {
      throw downloadFault(artifact, `it leads to "${placeOf(url)}", and ${refused}`, {
        code: "refused",
        remedy: "Check what answers for that host here: a proxy or a resolver may redirect it",
      });
    }
    const response = await answered(ports, artifact, url, headers, signal);
    const to = response.headers.get("location");
    if (![301, 302, 303, 307, 308].includes(response.status) || to === null) {
      return { response, url };
    }
    await response.body?.cancel();
    if (hops === REDIRECTS) {
      throw downloadFault(artifact, `more than ${REDIRECTS} redirects`);
    }
    url = URL.parse(to, url)?.href ?? to;
  }
}

/** Without the query, which may be signed for whoever asked. */
const placeOf = (url: string) => url.split("?", 1)[0]!.slice(0, 200);

function causeOf({ message, cause }: Error): string {
  const [text = ""] = (cause instanceof Error ? cause.message : message).split("\n", 1);
  // The file's own address, which the plan shows, would leave no room for the cause.
  const short = text.replace(/ for url \(.*?\)/, "").replaceAll(/https?:\/\/\S+/g, placeOf);
  return short.slice(0, 200);
}

/** What an answer that brings no bytes means. */
function judged(
  artifact: Artifact,
  { status, headers }: Response,
  { asked, at, now }: { readonly asked: RangeRequest; readonly at: string; readonly now: number },
): Failure | PassingFault | OtherFile {
  const moved = at !== artifact.url;
  switch (status) {
    case 401:
    case 403:
      if (moved) return new PassingFault(`it answered ${status}`, undefined, true);
      return downloadFault(artifact, `it answered ${status}: it asks who you are, or is closed`, {
        remedy: "Check that this network may reach it, or name a mirror: models.mirror in " +
          "~/.svc/config.yaml",
      });
    case 404:
    case 410:
      return downloadFault(artifact, `it answered ${status}: this file is not there`, {
        remedy: "svc update check; a newer svc may name another file",
      });
    case 416: {
      const [, total] = /^bytes \*\/(\d+)$/.exec(headers.get("content-range") ?? "") ?? [];
      if (total === undefined || Number(total) === artifact.bytes) {
        return new OtherFile(`it answered 416 to the bytes from ${asked.from}`);
      }
      return otherLength(artifact, Number(total));
    }
    case 408:
    case 425:
    case 429: {
      const after = retryAfterMs(headers.get("retry-after"), now);
      return new PassingFault(`it answered ${status}`, after);
    }
    default:
      if (status >= 500) {
        const after = retryAfterMs(headers.get("retry-after"), now);
        return new PassingFault(`it answered ${status}`, after);
      }
      return downloadFault(artifact, `it answered ${status}`);
  }
}

function otherLength(artifact: Artifact, length: number): Failure {
  return downloadFault(
    artifact,
    `it has ${length} bytes there, and the plan says ${artifact.bytes}; nothing was kept of it`,
    { remedy: "Check what answers for that host here: a proxy may stand in for it" },
  );
}

/** @throws OtherFile, PassingFault, Failure */
export async function askRange(
  ports: RangePorts,
  artifact: Artifact,
  asked: RangeRequest,
  signal: AbortSignal,
): Promise<RangeAnswer> {
  const { response, url } = await followed(ports, artifact, asked, signal);
  const { status, headers, body } = response;
  const refuse = async (fault: Error): Promise<never> => {
    await body?.cancel();
    throw fault;
  };
  if (status !== 200 && status !== 206 || body === null) {
    return await refuse(judged(artifact, response, { asked, at: url, now: ports.clock.now() }));
  }
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity") {
    return await refuse(downloadFault(artifact, `it sends the file as "${encoding.slice(0, 40)}"`));
  }
  const etag = strong(headers.get("etag"));
  if (status === 200) {
    const length = headers.get("content-length");
    if (length !== null && Number(length) !== artifact.bytes) {
      return await refuse(otherLength(artifact, Number(length)));
    }
    return { body, ranged: false, url, etag };
  }
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("content-range") ?? "") ??
    [];
  if (Number(first) !== asked.from) {
    return await refuse(new OtherFile("it sent other bytes than were asked for"));
  }
  if (total !== "*" && Number(total) !== artifact.bytes) {
    return await refuse(otherLength(artifact, Number(total)));
  }
  if (asked.etag !== undefined && etag !== undefined && etag !== asked.etag) {
    return await refuse(new OtherFile("its ETag is another one"));
  }
  return { body, ranged: true, url, etag };
}
