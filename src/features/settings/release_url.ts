/** The form of a URL where releases are announced; apart, since the config's shape costs zod. */
import { isLoopbackHost } from "svc/core/loopback.ts";

export const RELEASE_URL_FORM = "must be https, or on this machine, without user and password";

export function isReleaseUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  const plain = url.username === "" && url.password === "" && url.hash === "";
  return plain && (url.protocol === "https:" || isLoopbackHost(url.hostname));
}
