/** Draws the random parts of example secrets, so that the source contains no whole token. */

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const HEX = DIGITS + "abcdef";
const BASE62 = UPPER + LOWER + DIGITS;

/** Deterministic for each seed; every method advances it. `n` counts characters. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2654435761 + 0x9e3779b9) >>> 0;
  }

  /** A whole number in [0, limit): the top bits of a 32-bit xorshift times an odd number. */
  below(limit: number): number {
    let x = this.#state || 1;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return (Math.imul(x, 0x9e3779b1) >>> 8) % limit;
  }

  pick<T>(choices: readonly T[]): T {
    const one = choices[this.below(choices.length)];
    if (one === undefined) throw new RangeError("Cannot pick from an empty list");
    return one;
  }

  from(alphabet: string, n: number): string {
    let out = "";
    while (out.length < n) out += alphabet[this.below(alphabet.length)];
    return out;
  }

  hex(n: number): string {
    return this.from(HEX, n);
  }
  digits(n: number): string {
    return this.from("123456789", 1) + this.from(DIGITS, n - 1);
  }
  letters(n: number): string {
    return this.from(UPPER + LOWER, n);
  }
  base62(n: number): string {
    return this.from(BASE62, n);
  }
  upper(n: number): string {
    return this.from(UPPER + DIGITS, n);
  }
  lower(n: number): string {
    return this.from(LOWER + DIGITS, n);
  }
  /** `[A-Z2-7]` (RFC 4648 section 6) */
  base32(n: number): string {
    return this.from(UPPER + "234567", n);
  }
  base64(n: number): string {
    return this.from(BASE62 + "+/", n);
  }
  /** `[A-Za-z0-9_-]`, without a `-` at either end, so that the token keeps its borders. */
  url64(n: number): string {
    return this.base62(1) + this.from(BASE62 + "_-", n - 2) + this.base62(1);
  }
  uuid(): string {
    const part = (n: number) => this.hex(n);
    return `${part(8)}-${part(4)}-4${part(3)}-${this.pick(["8", "9", "a", "b"])}${part(3)}-${
      part(12)
    }`;
  }
}
