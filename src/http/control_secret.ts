/** The secret that opens the dashboard (spec section 5). */
import { CONTROL_SECRET_BYTES } from "svc/core/bounds.ts";
import { sameDigest, secretDigest } from "svc/platform/net/secret_digest.ts";

/** What was set, when it is long enough and not one character again and again; else undefined. */
export function controlSecret(value: string | undefined): string | undefined {
  if (value === undefined || value.trim() === "" || new Set(value).size === 1) return undefined;
  return new TextEncoder().encode(value).byteLength < CONTROL_SECRET_BYTES ? undefined : value;
}

/** Keeps no more than the secret's digest. */
export function secretCheck(secret: string): (given: string) => boolean {
  const wanted = secretDigest(secret);
  return (given) => sameDigest(secretDigest(given), wanted);
}
