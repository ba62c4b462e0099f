/** The host names of a listener, and the origin whose pages may call it. */
import { type Address, addressText } from "svc/core/loopback.ts";
import { Failure } from "svc/core/failure.ts";

/** Browsers leave out port 80. */
export function ownHosts(address: Address): readonly string[] {
  const bound = addressText(address);
  const named = [bound, `localhost:${address.port}`];
  return address.port === 80 ? [...named, ...named.map((host) => host.slice(0, -3))] : named;
}

/** Spec section 4.1. @throws Failure `usage` for anything but exactly an https origin */
export function trustedOrigin(typed: string): string {
  const url = URL.parse(typed);
  if (url?.protocol === "https:" && url.origin === typed && !typed.includes("*")) return typed;
  throw new Failure("usage", `Cannot trust the origin "${typed}": not an exact https origin`, {
    remedy: 'Give it as "https://svc.example.com": in lower case, without a path or a slash',
  });
}

export function authorityOf(origin: string): string {
  return origin.slice("https://".length);
}
