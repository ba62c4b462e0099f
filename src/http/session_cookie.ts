/** The cookie that carries a session's id (RFC 6265; `__Host-` as in RFC 6265bis). */
import { SESSION_COOKIES } from "svc/core/bounds.ts";

export interface SessionCookie {
  readonly name: string;
  readonly secure: boolean;
}

/** Cookies ignore ports: two services on one machine need two names. */
export function loopbackCookie(port: number): SessionCookie {
  // Not `Secure`: Python and Safari would not send it back over http.
  return { name: `svc_session_${port}`, secure: false };
}

export const TRUSTED_COOKIE: SessionCookie = { name: "__Host-svc_session", secure: true };

/** Unchecked; another program on this host may have added some. */
export function sessionIds({ name }: SessionCookie, header: string | null): readonly string[] {
  if (header === null) return [];
  const found: string[] = [];
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=");
    const value = pair.slice(equals + 1).trim();
    if (pair.slice(0, equals).trim() !== name || !/^[\w-]{43}$/.test(value)) continue;
    if (found.push(value) >= SESSION_COOKIES) break;
  }
  return found;
}

/** @param id undefined deletes the cookie */
export function setCookie({ name, secure }: SessionCookie, id: string | undefined): string {
  const gone = id === undefined ? "; Max-Age=0" : "";
  return `${name}=${id ?? ""}; Path=/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}${gone}`;
}
