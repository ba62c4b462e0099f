/** Identifies secrets without revealing them: keyed fingerprints, and redacted values. */
import { wordShare } from "./randomness.ts";

/** Stored in the committed baseline, so no secret; it makes precomputed tables useless. */
export type FingerprintKey = Uint8Array<ArrayBuffer>;

export const KEY_BYTES = 32;

/** PBKDF2 rounds for guessable values; they take some 3 ms, so a thousand findings take seconds. */
const STRETCH = 10_000;

/** Random values of this length have at least 90 bits, even in hex. */
const DRAWN_CHARS = 24;

/** Hex digits of a fingerprint: 128 bits, so no two secrets of a repo share one. */
const FINGERPRINT_CHARS = 32;

const encoder = new TextEncoder();

/** Key of a repo without a baseline, derived from its identity. */
export async function keyOfRepo(identity: string): Promise<FingerprintKey> {
  const text = encoder.encode(`svc secret fingerprint v1\0${identity}`);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", text));
}

/** A random key for a new baseline. */
export function newKey(): FingerprintKey {
  return crypto.getRandomValues(new Uint8Array(KEY_BYTES));
}

function isGuessable(value: string): boolean {
  return value.length < DRAWN_CHARS || wordShare(value) > 0.2;
}

/** Line ends and blanks differ between checkouts and encodings of the same key. */
function canonical(value: string): string {
  return value.replace(/\\[nrt]|\s/g, "");
}

/** Equal values have equal fingerprints. */
export class Fingerprints {
  readonly #key: FingerprintKey;
  readonly #known = new Map<string, Promise<string>>();
  #hmac: Promise<CryptoKey> | undefined;

  constructor(key: FingerprintKey) {
    this.#key = key;
  }

  of(value: string): Promise<string> {
    const plain = canonical(value);
    const known = this.#known.get(plain);
    if (known !== undefined) return known;
    const fingerprint = this.#compute(plain);
    this.#known.set(plain, fingerprint);
    return fingerprint;
  }

  async #compute(plain: string): Promise<string> {
    let bytes: Uint8Array<ArrayBuffer> = encoder.encode(plain);
    if (isGuessable(plain)) bytes = await this.#stretch(bytes);
    this.#hmac ??= crypto.subtle.importKey(
      "raw",
      this.#key,
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign"],
    );
    const digest = new Uint8Array(await crypto.subtle.sign("HMAC", await this.#hmac, bytes));
    return digest.toHex().slice(0, FINGERPRINT_CHARS);
  }

  async #stretch(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const base = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveBits"]);
    const rounds = { name: "PBKDF2", hash: "SHA-256", salt: this.#key, iterations: STRETCH };
    return new Uint8Array(await crypto.subtle.deriveBits(rounds, base, 256));
  }
}

/** From this length on, four characters reveal the kind of a value, but not the value. */
const SHOWN_FROM_CHARS = 16;

export function redactValue(value: string): string {
  const shown = value.length >= SHOWN_FROM_CHARS
    ? value.slice(0, 4).replace(/[^\x21-\x7e]/g, "?")
    : "";
  return `${shown}\u2026 (${value.length} characters)`;
}

const AT_ONCE = 64;

export async function withoutSecrets<
  Hit extends { readonly secret: string; readonly shown?: string },
>(
  hits: readonly Hit[],
  key: FingerprintKey,
): Promise<(Omit<Hit, "secret" | "shown"> & { fingerprint: string; redacted: string })[]> {
  const fingerprints = new Fingerprints(key);
  const one = async ({ secret, shown, ...rest }: Hit) => ({
    ...rest,
    fingerprint: await fingerprints.of(secret),
    redacted: shown ?? redactValue(secret),
  });
  const all = [];
  for (let from = 0; from < hits.length; from += AT_ONCE) {
    all.push(...await Promise.all(hits.slice(from, from + AT_ONCE).map(one)));
  }
  return all;
}
