/** The secret that people log in to the dashboard with (spec section 5). */
import { CONTROL_SECRET_BYTES } from "svc/core/bounds.ts";
import { sameDigest, secretDigest } from "svc/platform/net/secret_digest.ts";

/** Undefined when it is too short; its length alone decides (spec section 8). */
export function controlSecret(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  return new TextEncoder().encode(value).byteLength < CONTROL_SECRET_BYTES ? undefined : value;
}

/** One repeated character, or white space alone. */
export function isWeak(secret: string): boolean {
  return secret.trim() === "" || new Set(secret).size === 1;
}

export function secretCheck(secret: string): (given: string) => boolean {
  const wanted = secretDigest(secret);
  return (given) => sameDigest(secretDigest(given), wanted);
}
