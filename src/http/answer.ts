/** The answers of svc's listeners, and the headers that all of them carry. */

/**
 * Together more than 512 bytes, with what Deno adds: up to that, Deno 2.9.6 sends a body that does not fit behind
 * the head by a `send` of its own, which costs more than all the rest of a small answer.
 */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY", // where `frame-ancestors` is not known
  "cache-control": "no-store",
};

export class RawContent {
  constructor(
    readonly type: string,
    readonly bytes: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  ) {}
}

export interface HttpAnswer {
  readonly status: number;
  /** Absent in a 304 alone. */
  readonly body?: RawContent | Readonly<Record<string, unknown>> | readonly unknown[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The object is given for many requests: its response is made once, and copied. */
  readonly repeated?: true;
}

export function answer(status: number, body: NonNullable<HttpAnswer["body"]>): HttpAnswer {
  return { status, body };
}

/** Repeats nothing of the request. */
export function refusal(
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return { status, body: { ok: false, error }, headers };
}

/** `Retry-After` (RFC 9110, section 10.2.3) in whole seconds. */
export function tooMany(what: string, retrySecs: number): HttpAnswer {
  return refusal(429, `too many ${what}`, { "retry-after": String(Math.max(1, retrySecs)) });
}

const encoder = new TextEncoder();

function contentOf(body: NonNullable<HttpAnswer["body"]>): RawContent {
  return body instanceof RawContent
    ? body
    : new RawContent("application/json", `${JSON.stringify(body)}\n`);
}

/** Made of answers that are `repeated`; copying one costs half of making it, since its headers are not checked again. */
const made = new WeakMap<HttpAnswer, Response>();

/** HEAD is answered as GET would be, its length included, without the body (RFC 9110, section 9.3.2). */
export function responseOf(answer: HttpAnswer, method = "GET"): Response {
  if (!answer.repeated || method === "HEAD") return responseFor(answer, method);
  const known = made.get(answer);
  if (known !== undefined) return known.clone();
  const response = responseFor(answer, method);
  made.set(answer, response);
  return response.clone();
}

function responseFor({ status, body, headers }: HttpAnswer, method: string): Response {
  if (body === undefined) {
    return new Response(null, { status, headers: { ...HEADERS, ...headers } });
  }
  const { type, bytes } = contentOf(body);
  const all = { ...HEADERS, "content-type": type, ...headers };
  // Deno.serve (2.9.6) drops a stream's bytes from an answer to HEAD, and calls an absent body 0 long.
  if (method !== "HEAD" || bytes instanceof ReadableStream) {
    return new Response(bytes, { status, headers: all });
  }
  const sized = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
  const length = { "content-length": String(sized.byteLength) };
  return new Response(null, { status, headers: { ...all, ...length } });
}
