/** Whether a delivery was signed with the secret that its sender and svc share. */

/** Largest difference between the clock and the signed time of a Linear delivery. */
const LINEAR_SKEW_MS = 60_000;

const HMAC = { name: "HMAC", hash: "SHA-256" };

export function signingKey(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", new TextEncoder().encode(secret), HMAC, false, ["verify"]);
}

async function signed(
  key: CryptoKey,
  hex: string | undefined,
  body: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  // Compares in constant time (W3C WebCrypto, HMAC verify).
  return hex !== undefined && await crypto.subtle.verify(HMAC, key, Uint8Array.fromHex(hex), body);
}

/** The hex in `X-Hub-Signature-256`; undefined for any other form. */
export const githubSignature = (header: string | null) =>
  /^sha256=([0-9a-f]{64})$/.exec(header ?? "")?.[1];

/** The hex in `Linear-Signature`; undefined for any other form. */
export const linearSignature = (header: string | null) =>
  /^([0-9a-f]{64})$/.exec(header ?? "")?.[1];

/** `X-Hub-Signature-256: sha256=<hex>` over the raw body (GitHub, "Validating webhook deliveries"). */
export function signedByGithub(
  key: CryptoKey,
  header: string | null,
  body: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return signed(key, githubSignature(header), body);
}

/** `Linear-Signature: <hex>` over the raw body (Linear, "Webhooks"). */
export function signedByLinear(
  key: CryptoKey,
  header: string | null,
  body: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return signed(key, linearSignature(header), body);
}

/** @param timestamp `webhookTimestamp` of the signed body, in epoch ms */
export function freshByLinear(timestamp: unknown, now: number): boolean {
  return Number.isSafeInteger(timestamp) && Math.abs(now - (timestamp as number)) <= LINEAR_SKEW_MS;
}
