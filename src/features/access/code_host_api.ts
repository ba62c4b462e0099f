/** One request to GitHub's REST API 2022-11-28, to one origin, with one token, bounded in time and size. */
import { causesOf, connectionFault, unreached } from "svc/core/connection_faults.ts";
import { boundedText } from "svc/core/bounded_text.ts";
import { Failure } from "svc/core/failure.ts";
import { isLoopbackHost } from "svc/core/loopback.ts";
import { type Redact, redactor } from "svc/core/redact.ts";
import type { z } from "svc/core/zod.ts";
import type { Clock } from "svc/platform/clock.ts";
import { LimitReached, refusalOf } from "./code_host_refusal.ts";

const CODEHOST_REQUEST_MS = 20_000;

/** A hundred issues of some 40 KiB each. */
export const CODEHOST_RESPONSE_BYTES = 4 * 1024 * 1024;

export interface CodeHostPlan {
  /** `owner/repo`. */
  readonly remote: string;
  readonly token: string;
  readonly api: string;
  /** Origin of its pages; a page for single sign-on is accepted only from this origin. */
  readonly web: string;
  /** How a person gives another token. */
  readonly tokenWay: string;
}

export interface CodeHostPorts {
  readonly fetch: typeof fetch;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly redact: Redact;
  readonly signal: AbortSignal;
}

export interface ApiRequest<T> {
  readonly doing: string;
  /** Below the repo's own address. */
  readonly path: string;
  readonly method?: "GET" | "POST";
  readonly body?: unknown;
  readonly shape: z.ZodType<T>;
  /** What the token needs for it. */
  readonly needs: string;
}

export interface ApiAnswer<T> {
  readonly data: T;
  /** Query of the next page. */
  readonly next: URLSearchParams | undefined;
}

export type AskApi = <T>(request: ApiRequest<T>) => Promise<ApiAnswer<T>>;

/** @throws Failure `refused` for an address to which a token would go unencrypted */
function checkedApi(api: string): URL {
  const url = new URL(api);
  const sound = url.protocol === "https:" ||
    (url.protocol === "http:" && isLoopbackHost(url.hostname));
  if (sound && url.username === "" && url.password === "") return url;
  throw new Failure("refused", `Cannot ask the code host at "${url.origin}": only https is used`);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // its shape is checked next
  }
}

/** Only the query of `<https://…?page=2>; rel="next"` (RFC 8288) is used: the host stays the one that was asked. */
function nextPage(link: string | null): URLSearchParams | undefined {
  const named = /<([^<>]*)>;\s*rel="next"/.exec(link ?? "")?.[1];
  return named === undefined ? undefined : URL.parse(named)?.searchParams;
}

/** Follows no redirect; the token goes to the one origin, in a header. */
export function codeHostApi(ports: CodeHostPorts, plan: CodeHostPlan): AskApi {
  const { remote, token, api } = plan;
  const base = checkedApi(api);
  const redact = redactor([token], ports.redact);

  function redacted(failure: Failure): Failure {
    const { code, message, detail } = failure;
    const text = redact(message);
    if (failure instanceof LimitReached) {
      return new LimitReached(text, failure.limit, failure.untilSecs);
    }
    return new Failure(code, text, detail);
  }

  async function answered<T>(
    { doing, path, method, body, shape, needs }: ApiRequest<T>,
    signal: AbortSignal,
  ): Promise<ApiAnswer<T>> {
    const url = new URL(`${base.href.replace(/\/$/, "")}/repos/${remote}/${path}`);
    // The last check before the wire, whatever built the URL.
    if (url.origin !== base.origin) throw new Failure("refused", `Cannot ${doing}: another origin`);
    const response = await ports.fetch(url, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${token}`,
        "user-agent": "svc",
        "x-github-api-version": "2022-11-28",
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      redirect: "manual",
      credentials: "omit",
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { status, headers } = response;
    const text = await boundedText(response, CODEHOST_RESPONSE_BYTES, signal);
    if (text === undefined) {
      const why = `the answer is longer than ${CODEHOST_RESPONSE_BYTES} bytes`;
      throw new Failure("environment", `Cannot ${doing}: ${why}`);
    }
    if (!response.ok) {
      const facts = { ...plan, doing, needs, now: ports.clock.now() };
      throw redacted(refusalOf({ status, headers, text }, facts));
    }
    const parsed = shape.safeParse(parsedJson(text));
    if (parsed.success) return { data: parsed.data, next: nextPage(headers.get("link")) };
    throw new Failure(
      "environment",
      `Cannot ${doing}: GitHub's answer is not as its API promises`,
      {
        remedy: `Look at what answers at ${base.origin}: a proxy, or pages in place of the API, ` +
          "whose address ends in /api/v3 at GitHub Enterprise Server",
      },
    );
  }

  return async (request) => {
    const { doing } = request;
    const over = new AbortController();
    const late = new AbortController();
    ports.clock.sleep(CODEHOST_REQUEST_MS, over.signal).then(() => late.abort());
    try {
      return await answered(request, AbortSignal.any([ports.signal, late.signal]));
    } catch (thrown) {
      if (thrown instanceof Failure) throw thrown;
      if (ports.signal.aborted) throw new Failure("interrupted", `Cannot ${doing}: interrupted`);
      const why = late.signal.aborted
        ? `${base.host} did not answer within ${CODEHOST_REQUEST_MS / 1000} s`
        : unreached(base.host, thrown);
      const fault = late.signal.aborted ? undefined : connectionFault(causesOf(thrown));
      throw new Failure("environment", `Cannot ${doing}: ${why}`, {
        cause: thrown,
        ...(fault && { remedy: fault.remedy }),
      });
    } finally {
      over.abort();
    }
  };
}
