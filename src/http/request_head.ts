/** Reads the head of a request, before anything in it is trusted. */
import { HTTP_TARGET_CHARS } from "svc/core/bounds.ts";

export interface Head {
  readonly method: string;
  readonly host: string;
  /** Undecoded and without the query. */
  readonly path: string;
  /** After the "?", undecoded. */
  readonly query: string;
  readonly headers: Headers;
}

/** Printable ASCII without "#" and "\". */
const TARGET = /^[!"$-[\]-~]*$/;

/**
 * Undefined when malformed or for another host. Deno takes the host from an absolute-form target or
 * makes one up for HTTP/1.0, so address and header must agree.
 */
export function headOf(request: Request, hosts: readonly string[]): Head | undefined {
  const { url, method, headers } = request;
  if (url.length > HTTP_TARGET_CHARS) return undefined;
  const host = headers.get("host");
  if (host === null || !hosts.includes(host) || !url.startsWith(`http://${host}/`)) {
    return undefined;
  }
  const target = url.slice("http://".length + host.length);
  if (!TARGET.test(target)) return undefined;
  const query = target.indexOf("?");
  return query < 0
    ? { method, host, path: target, query: "", headers }
    : { method, host, path: target.slice(0, query), query: target.slice(query + 1), headers };
}

/** Sent by a page of another site or another port (Fetch Metadata, W3C; RFC 6454). */
export function fromElsewhere(headers: Headers, origins: readonly string[]): boolean {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  return (origin !== null && !origins.includes(origin)) || site === "cross-site" ||
    site === "same-site";
}

/** No service sends these headers. */
export function fromBrowser(headers: Headers): boolean {
  return headers.has("origin") || headers.has("sec-fetch-site");
}

const unpacked = (headers: Headers) =>
  (headers.get("content-encoding")?.toLowerCase() ?? "identity") === "identity";

/** Exactly `application/json`: no parameter, no other case (spec section 4.3). */
export function isJson(headers: Headers): boolean {
  return unpacked(headers) && headers.get("content-type") === "application/json";
}

/** Linear's deliveries say `application/json; charset=utf-8` (linear.app/developers/webhooks). */
export function isJsonDelivery(headers: Headers): boolean {
  const type = headers.get("content-type") ?? "";
  return unpacked(headers) && /^application\/json(?:[ \t]*;[ \t]*charset="?utf-8"?)?$/i.test(type);
}

/** What GitHub sends unless its form is told otherwise (docs.github.com, "Creating webhooks"). */
export function isForm(headers: Headers): boolean {
  const type = headers.get("content-type") ?? "";
  const form = /^application\/x-www-form-urlencoded(?:[ \t]*;[ \t]*charset="?utf-8"?)?$/i;
  return unpacked(headers) && form.test(type);
}

/** "none" when there is no body, "unknown" when it is sent in chunks. */
export function declaredBytes(headers: Headers): number | "none" | "unknown" | "bad" {
  // Not `has`: only `get` reads one header without making a list of all (Deno 2.9.6).
  if (headers.get("transfer-encoding") !== null) return "unknown";
  const length = headers.get("content-length");
  if (length === null) return "none";
  return /^\d{1,15}$/.test(length) ? Number(length) : "bad";
}
