/** What every answer of svc's listeners looks like. */

/** Sent with each answer, of whatever kind (domain: HTTP). */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/** What is sent as it is, and not as JSON. */
export class Content {
  constructor(
    /** Media type, with its parameters. */
    readonly type: string,
    readonly bytes: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  ) {}
}

/** An answer as a value; the gate makes the response of it. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON, unless it is `Content`. */
  readonly body: Content | Readonly<Record<string, unknown>> | readonly unknown[];
  readonly headers?: Readonly<Record<string, string>>;
}

export function answer(status: number, body: Answer["body"]): Answer {
  return { status, body };
}

/** Generic on purpose: nothing of the request is said back. */
export function refusal(
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, body: { ok: false, error }, headers };
}

/** With `Retry-After` (RFC 9110, section 10.2.3), in whole seconds. */
export function tooMany(what: string, retrySecs: number): Answer {
  return refusal(429, `too many ${what}`, { "retry-after": String(Math.max(1, retrySecs)) });
}

export function responseOf({ status, body, headers }: Answer): Response {
  const [type, bytes] = body instanceof Content
    ? [body.type, body.bytes]
    : ["application/json", `${JSON.stringify(body)}\n`];
  return new Response(bytes, { status, headers: { ...HEADERS, "content-type": type, ...headers } });
}
