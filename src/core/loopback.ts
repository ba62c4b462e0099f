/** Addresses that listeners may bind: literal loopback only (spec section 1, rule 5). */
import { Failure } from "./failure.ts";

export interface Address {
  readonly host: string;
  /** 0 asks for an ephemeral port. */
  readonly port: number;
}

const LITERAL = /^(?:(127(?:\.(?:0|[1-9]\d{0,2})){3})|\[(::1)\]):(0|[1-9]\d{0,4})$/;

/** Names are refused: what `localhost` resolves to is not svc's to say. @throws Failure `usage` */
export function loopbackAddress(typed: string): Address {
  const match = LITERAL.exec(typed);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  const fits = host !== undefined && port <= 65_535 &&
    host.split(".").every((part) => part === "::1" || Number(part) <= 255);
  if (!fits) {
    const wanted = "a literal loopback address with a port from 0 to 65535";
    throw new Failure("usage", `Cannot listen on "${typed}": not ${wanted}`, {
      remedy: 'Give an address such as "127.0.0.1:9090" or "[::1]:9090"',
    });
  }
  return { host, port };
}

/** Hosts of addresses that a person typed for listeners, other than the two usual ones. @throws as `loopbackAddress` */
export function otherLoopbackHosts(...typed: readonly (string | undefined)[]): string[] {
  const hosts = typed.flatMap((each) => each === undefined ? [] : [loopbackAddress(each).host]);
  return hosts.filter((host) => host !== "127.0.0.1" && host !== "::1");
}

export function addressText({ host, port }: Address): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A name is no literal address, whatever it resolves to. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** Loopback, and literal addresses that no router passes on: RFC 1918, RFC 3927, RFC 4193, RFC 4291 2.5.6. */
export function isOwnNetwork(hostname: string): boolean {
  return isLoopbackHost(hostname) || hostname === "localhost" ||
    /^(?:10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)[\d.]+$/.test(hostname) ||
    /^\[(?:f[cd]|fe[89ab])[0-9a-f]/.test(hostname);
}
