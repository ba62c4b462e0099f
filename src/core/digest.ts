/** SHA-256 as lower-case hex. */

export async function sha256(bytes: Uint8Array): Promise<string> {
  // svc shares no memory between threads, so every array has a buffer of its own.
  const sum = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return new Uint8Array(sum).toHex();
}

/** FIPS 180-4, section 4.2.2: the first 32 bits of the fractions of the cube roots of the first 64 primes. */
const ROUNDS = Uint32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));

/** Section 5.3.3: the same of the square roots of the first eight. */
const START = Uint32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let at = 2; found.length < count; at++) {
    if (found.every((prime) => at % prime !== 0)) found.push(at);
  }
  return found;
}

const turned = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));

/** For many short texts: the same as `sha256` without a thread for each, which takes ten times as long. */
export function sha256Now(bytes: Uint8Array): string {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const state = START.slice();
  const words = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + i * 4);
    block(state, words);
  }
  const sum = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => sum.setUint32(i * 4, word));
  return new Uint8Array(sum.buffer).toHex();
}

/** Section 6.2.2. @param words sixteen words of the message, and room for 48 more */
function block(state: Uint32Array, words: Uint32Array): void {
  for (let i = 16; i < 64; i++) {
    const [early, late] = [words[i - 15]!, words[i - 2]!];
    const first = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[i] = words[i - 16]! + first + words[i - 7]! + second;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const chosen = (e & f) ^ (~e & g);
    const most = (a & b) ^ (a & c) ^ (b & c);
    const upper = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + ROUNDS[i]! +
      words[i]!;
    const lower = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + most;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + upper) | 0, c, b, a, (upper + lower) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => state[i]! += word);
}
