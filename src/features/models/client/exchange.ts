/** One HTTP request to a model server: bounded in time and bytes, without redirects or cookies. */
import { quoted } from "svc/core/repo_path.ts";
import type { Clock } from "svc/platform/clock.ts";
import { isLocal, modelFault, type ModelTarget, transportFault } from "./faults.ts";
import type { ModelFault } from "./model.ts";
import { ErrorResponse } from "./error_response.ts";

/** A model that sends nothing for this long is given up; large local models think for minutes. */
const MODEL_IDLE_MS = 600_000;

/** The longest request to a model, slow bytes included; a job's default time limit is no longer. */
const MODEL_REQUEST_MS = 1_800_000;

const MODEL_RESPONSE_BYTES = 8 * 1024 * 1024;

/** The longest line of an event stream; a whole tool call may come in one. */
const MODEL_LINE_BYTES = 1024 * 1024;

const MODEL_ERROR_BYTES = 64 * 1024;

/** Gateways know it, and it takes all that 2026-10-21 does, and sampling (platform.claude.com/docs/en/api/versioning). */
const ANTHROPIC_VERSION = "2023-06-01";

/** Time for a connection to end in order after the last event, so that the next request can reuse it. */
export const MODEL_DRAIN_MS = 100;

/** A finished answer whose end does not come is given up after this: counts of tokens may still follow. */
const MODEL_END_MS = 10_000;

export interface ExchangeLimits {
  readonly idleMs: number;
  readonly endMs: number;
  readonly totalMs: number;
  readonly responseBytes: number;
  readonly lineBytes: number;
}

export const EXCHANGE_LIMITS: ExchangeLimits = {
  idleMs: MODEL_IDLE_MS,
  endMs: MODEL_END_MS,
  totalMs: MODEL_REQUEST_MS,
  responseBytes: MODEL_RESPONSE_BYTES,
  lineBytes: MODEL_LINE_BYTES,
};

export interface ExchangePorts {
  readonly fetch: typeof fetch;
  readonly clock: Pick<Clock, "sleep" | "monotonic">;
}

interface ExchangeRequest {
  readonly target: ModelTarget;
  readonly url: string;
  readonly key?: string | undefined;
  readonly body?: string;
  readonly accept: string;
}

export interface ExchangeResponse extends AsyncDisposable {
  readonly contentType: string;
  /** The next bytes; undefined at the end. @throws ModelFault */
  read(): Promise<Uint8Array | undefined>;
  /** From now on `endMs` without a byte is too long. */
  expectEnd(): void;
  /** Reads to the end for `MODEL_DRAIN_MS` at most: a connection with an unread response is closed. */
  drain(): Promise<void>;
}

/** @throws ModelFault `auth` when the key would go over a network unencrypted */
export function refuseOpenKey(target: ModelTarget, key: string | undefined): void {
  if (key === undefined || isLocal(target) || target.endpoint.startsWith("https:")) return;
  throw modelFault(target, "auth", "its key would go over a network unencrypted", {
    remedy: "Give the endpoint an https URL, or leave api_key_env out",
  });
}

function headersOf({ target, url, key, body, accept }: ExchangeRequest): Record<string, string> {
  const here = new URL(url);
  // The last check before the wire, whatever built the URL: exact scheme, host and port.
  if (here.origin !== new URL(target.endpoint).origin || here.username !== "") {
    throw modelFault(target, "bad_request", "the request would go to another origin", {
      pausesLane: true,
    });
  }
  refuseOpenKey(target, key);
  const anthropic = target.protocol === "messages";
  return {
    accept,
    "user-agent": "svc",
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(anthropic && { "anthropic-version": ANTHROPIC_VERSION }),
    ...(key !== undefined &&
      (anthropic ? { "x-api-key": key } : { authorization: `Bearer ${key}` })),
  };
}

class ExchangeTimer {
  readonly #cut = new AbortController();
  readonly #done = new AbortController();
  #fault: ModelFault | undefined;
  #lastByte: number;
  #idleMs: number;
  #awake = new AbortController();
  /** Cancels the body: aborting alone does not stop it once the Response is garbage-collected. */
  onCut: () => void = () => {};

  constructor(
    private readonly target: ModelTarget,
    private readonly clock: ExchangePorts["clock"],
    private readonly limits: ExchangeLimits,
    private readonly caller: AbortSignal,
  ) {
    this.#lastByte = clock.monotonic();
    this.#idleMs = limits.idleMs;
    caller.addEventListener("abort", this.#cancelled);
    if (caller.aborted) this.#cancelled();
    this.#run(clock.monotonic());
  }

  get signal(): AbortSignal {
    return this.#cut.signal;
  }

  check(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  beat(): void {
    this.#lastByte = this.clock.monotonic();
  }

  expectEnd(): void {
    this.#idleMs = Math.min(this.#idleMs, this.limits.endMs);
    this.#awake.abort();
  }

  cut(fault: ModelFault): void {
    if (this.#done.signal.aborted) return;
    this.#fault ??= fault;
    this.#cut.abort();
    this.onCut();
    this.end();
  }

  end(): void {
    this.#done.abort();
    this.#awake.abort();
    this.caller.removeEventListener("abort", this.#cancelled);
  }

  #cancelled = () => this.cut(modelFault(this.target, "cancelled", "it was cancelled"));

  async #run(started: number): Promise<void> {
    const { totalMs } = this.limits;
    while (!this.#done.signal.aborted) {
      const now = this.clock.monotonic();
      const idleMs = this.#idleMs;
      const idle = this.#lastByte + idleMs - now;
      const total = started + totalMs - now;
      if (idle <= 0) {
        this.cut(modelFault(this.target, "idle", `no byte came for ${idleMs / 1000} s`));
      } else if (total <= 0) {
        this.cut(modelFault(this.target, "idle", `it took longer than ${totalMs / 1000} s`));
      } else {
        // Once the end is expected it sleeps anew, for less; an aborted signal would let no sleep begin.
        const wake = this.#awake.signal.aborted ? this.#done.signal : this.#awake.signal;
        await this.clock.sleep(Math.min(idle, total), wake);
      }
    }
  }
}

/** The text of a whole response, or its first `maxBytes`. @throws ModelFault */
export async function textOf(
  response: Pick<ExchangeResponse, "read">,
  maxBytes = Infinity,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let left = maxBytes;
  while (left > 0) {
    const part = await response.read();
    if (part === undefined) break;
    text += decoder.decode(part.subarray(0, left), { stream: true });
    left -= part.length;
  }
  return text + decoder.decode();
}

function responseOf(
  response: Response,
  timer: ExchangeTimer,
  { target }: ExchangeRequest,
  { clock, limits }: Pick<ExchangePorts, "clock"> & { readonly limits: ExchangeLimits },
): ExchangeResponse {
  const reader = response.body?.getReader();
  // A broken body rejects here too; `read` has reported it.
  const letGo = () => reader?.cancel().catch(() => {}) ?? Promise.resolve();
  timer.onCut = letGo;
  let bytes = 0;
  async function read(): Promise<Uint8Array | undefined> {
    timer.check();
    const part = await reader?.read().catch((thrown: unknown) => {
      timer.check();
      throw transportFault(target, thrown);
    });
    timer.check();
    if (part === undefined || part.done) return undefined;
    timer.beat();
    bytes += part.value.length;
    if (bytes <= limits.responseBytes) return part.value;
    const why = `its answer is longer than ${limits.responseBytes} bytes`;
    throw modelFault(target, "too_large", why);
  }
  return {
    contentType: (response.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase(),
    read,
    expectEnd: () => timer.expectEnd(),
    async drain() {
      const over = new AbortController();
      const toEnd = async () => {
        while (!over.signal.aborted && await read() !== undefined) { /* discards it */ }
      };
      // The response is complete already: a failure here only costs the connection.
      const end = toEnd().catch(() => {}).finally(() => over.abort());
      await Promise.race([end, clock.sleep(MODEL_DRAIN_MS, over.signal)]);
      over.abort();
    },
    async [Symbol.asyncDispose]() {
      timer.end();
      await letGo();
    },
  };
}

/** What `fetch` asks for and decodes; it leaves the header, and anything else as it came. */
const DECODED = ["gzip", "br"];

/** Encodings of RFC 9110, 8.4.1, and of those that IANA lists. "none" and "utf-8", which servers write, are none. */
const ENCODED = /(?:^|,)\s{0,9}(?:x-)?(?:gzip|br|compress|deflate|zstd|dc[bz])\s{0,9}(?:,|$)/i;

/** Its bytes would pass for a broken answer, and be asked for again and again. */
function encodingFault(target: ModelTarget, { headers }: Response): ModelFault | undefined {
  const encoding = (headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (DECODED.includes(encoding) || !ENCODED.test(encoding)) return undefined;
  const why = `it answered in the encoding ${quoted(encoding)}, which svc did not ask for`;
  return modelFault(target, "protocol", why, {
    transient: false,
    pausesLane: true,
    remedy: "Let the server, or a proxy before it, send answers as they are, or in gzip",
  });
}

/** No redirects, no cookies, nothing of the environment; the caller disposes of the response. @throws ModelFault, or ErrorResponse unless 2xx */
export async function exchange(
  { fetch, clock }: ExchangePorts,
  request: ExchangeRequest,
  limits: ExchangeLimits,
  caller: AbortSignal,
): Promise<ExchangeResponse> {
  const headers = headersOf(request);
  const timer = new ExchangeTimer(request.target, clock, limits, caller);
  try {
    timer.check();
    const response = await fetch(request.url, {
      headers,
      redirect: "manual",
      credentials: "omit",
      signal: timer.signal,
      ...(request.body !== undefined && { method: "POST", body: request.body }),
    }).catch((thrown) => {
      timer.check();
      throw transportFault(request.target, thrown);
    });
    timer.beat();
    const answer = responseOf(response, timer, request, { clock, limits });
    const encoded = encodingFault(request.target, response);
    if (response.ok && encoded === undefined) return answer;
    await using refused = answer;
    if (encoded !== undefined) throw encoded;
    if (response.status >= 300 && response.status < 400) {
      throw modelFault(request.target, "protocol", `it redirects elsewhere (${response.status})`, {
        transient: false,
        pausesLane: true,
        remedy: "Give the final address as the endpoint; svc follows no redirect",
      });
    }
    throw new ErrorResponse(
      response.status,
      await textOf(refused, MODEL_ERROR_BYTES),
      response.headers,
    );
  } catch (thrown) {
    timer.end();
    throw thrown;
  }
}
