/** Reads the base URL of a model server in its one normal spelling. */
import { Failure } from "svc/core/failure.ts";
import { isLoopbackHost } from "svc/core/loopback.ts";

/** Characters of a base URL; browsers and proxies cut longer ones too. */
const ENDPOINT_CHARS = 2048;

export interface Endpoint {
  readonly href: string;
  readonly origin: string;
  /** A literal of 127.0.0.0/8 or ::1. */
  readonly loopback: boolean;
}

function faultOf(text: string): string | undefined {
  if (text.length > ENDPOINT_CHARS) return `it is longer than ${ENDPOINT_CHARS} characters`;
  // URL parsers differ in how they read these (WHATWG drops or replaces them).
  if (/[\s\\\p{C}]/u.test(text)) return "it has a space, a backslash or an invisible character";
  if (!/^https?:\/\/[^/]/i.test(text)) return "it is no http or https URL";
  if (text.split("/")[2]!.includes("@")) return "it has a user name or password in it";
  if (/[?#]/.test(text)) return 'it has a "?" or "#" in it';
  return URL.parse(text) === null ? "it is no URL" : undefined;
}

/** Takes `localhost` as 127.0.0.1, so that no resolver is asked, and the address of chats as its base URL. @throws Failure without the text, which may hold a key */
export function endpointOf(
  text: string,
  what: string,
  code: "usage" | "refused" = "usage",
): Endpoint {
  const fault = faultOf(text);
  if (fault !== undefined) {
    throw new Failure(code, `Cannot use ${what}: ${fault}`, {
      remedy: "Give a base URL such as http://127.0.0.1:8080/v1 or https://models.example.com/v1",
    });
  }
  const url = new URL(text);
  if (url.hostname === "localhost") url.hostname = "127.0.0.1";
  if (url.pathname === "/") url.pathname = "/v1";
  const { origin, hostname } = url;
  const href = url.href.replace(/\/+$/, "").replace(/\/chat\/completions$/, "");
  return { href, origin, loopback: isLoopbackHost(hostname) };
}
