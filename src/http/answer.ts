/** What every answer of svc's listeners looks like. */

/** Sent with each answer, of whatever kind (domain: HTTP). */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** An answer as a value; the gate makes the response of it. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body: Readonly<Record<string, unknown>>;
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

export function responseOf({ status, body, headers }: Answer): Response {
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: {
      ...HEADERS,
      "cache-control": "no-store",
      "content-type": "application/json",
      ...headers,
    },
  });
}
