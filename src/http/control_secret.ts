/** The secret that people log in to the dashboard with (spec section 5). */
import { CONTROL_SECRET_BYTES } from "svc/core/bounds.ts";
import { sameDigest, secretDigest } from "svc/platform/net/secret_digest.ts";

/** Undefined when it is too short or one repeated character. */
export function controlSecret(value: string | undefined): string | undefined {
  if (value === undefined || value.trim() === "" || new Set(value).size === 1) return undefined;
  return new TextEncoder().encode(value).byteLength < CONTROL_SECRET_BYTES ? undefined : value;
}

export function secretCheck(secret: string): (given: string) => boolean {
  const wanted = secretDigest(secret);
  return (given) => sameDigest(secretDigest(given), wanted);
}
