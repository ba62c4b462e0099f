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
    throw new Failure("usage", `Cannot listen on "${typed}": not a literal loopback address`, {
      remedy: 'Give an address such as "127.0.0.1:9090" or "[::1]:9090"',
    });
  }
  return { host, port };
}

export function addressText({ host, port }: Address): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A name is no literal address, whatever it resolves to. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
