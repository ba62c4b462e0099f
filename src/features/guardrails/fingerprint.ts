/** Names a secret without telling it: a keyed fingerprint, and what of the value may be shown. */
import { wordShare } from "./randomness.ts";

/**
 * The key has to reach every clone that reads a committed baseline, so it stands in the baseline file
 * and is no secret. What it does: fingerprints of one repo say nothing about another, and no table
 * made beforehand fits. Whoever has the file may still test guesses. A drawn token has too many
 * values for that, so one HMAC-SHA-256 is enough. A password that a person chose has not: it goes
 * through `STRETCH` rounds of PBKDF2 first, which makes each guess some ten thousand times dearer.
 */
export type FingerprintKey = Uint8Array<ArrayBuffer>;

/** Bytes of a key; as long as the digest. */
export const KEY_BYTES = 32;

/** PBKDF2 rounds for guessable values: some 3 ms, so that a thousand findings take seconds. */
const STRETCH = 10_000;

/** Drawn values of this length have at least 90 bits, even in hex. */
const DRAWN_CHARS = 24;

/** Hex digits of a fingerprint: 128 bits, so no two secrets of a repo share one. */
const FINGERPRINT_CHARS = 32;

const encoder = new TextEncoder();

/** A key for a repo without a baseline, the same in each clone: from what names the repo. */
export async function keyOfRepo(identity: string): Promise<FingerprintKey> {
  const text = encoder.encode(`svc secret fingerprint v1\0${identity}`);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", text));
}

/** A new key for a new baseline. */
export function newKey(): FingerprintKey {
  return crypto.getRandomValues(new Uint8Array(KEY_BYTES));
}

function isGuessable(value: string): boolean {
  return value.length < DRAWN_CHARS || wordShare(value) > 0.2;
}

/** Line ends and blanks differ between checkouts and encodings of one key; they do not count. */
function canonical(value: string): string {
  return value.replace(/\\[nrt]|\s/g, "");
}

/** Fingerprints by one key; equal values give equal ones. 32 hex digits. */
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

/** From this length on, four characters of a value tell its kind and not the value. */
const SHOWN_FROM_CHARS = 16;

/** What may be shown of a value: its first four characters when it is long, and its length. */
export function redactValue(value: string): string {
  const shown = value.length >= SHOWN_FROM_CHARS
    ? value.slice(0, 4).replace(/[^\x21-\x7e]/g, "?")
    : "";
  return `${shown}\u2026 (${value.length} characters)`;
}
