/**
 * New objects as one pack (gitformat-pack(5)), which `git unpack-objects` stores: one process for the files and folders
 * of a commit. They are not compressed, since git compresses what it stores.
 */
import { joinBytes } from "svc/core/bytes.ts";

/** Bytes of content; more would be held in memory twice. */
export const PACKED_BYTES = 16 * 1024 * 1024;

const TYPES = { commit: 1, tree: 2, blob: 3 } as const;
type ObjectType = keyof typeof TYPES;

/** The most that a stored block holds (RFC 1951, section 3.2.4). */
const BLOCK_BYTES = 0xffff;
/** Bytes between two divisions, and the divisor (RFC 1950, section 9). */
const ADLER_BYTES = 5552;
const ADLER_BASE = 65521;

/** The least that holds `size`: 4 bits beside the type, then 7 bits a byte, the lowest first. */
function objectHeader(type: ObjectType, size: number): number[] {
  const bytes = [(TYPES[type] << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 0x80;
    bytes.push(rest & 0x7f);
  }
  return bytes;
}

function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0];
  for (let from = 0; from < bytes.length; from += ADLER_BYTES) {
    for (const byte of bytes.subarray(from, from + ADLER_BYTES)) high += low += byte;
    low %= ADLER_BASE;
    high %= ADLER_BASE;
  }
  return high * 0x10000 + low;
}

function bigEndian(number: number): number[] {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff);
}

/** A zlib stream of stored blocks (RFC 1950 and 1951). */
function zlibStored(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [new Uint8Array([0x78, 0x01])];
  let from = 0;
  do {
    const block = bytes.subarray(from, from + BLOCK_BYTES);
    from += BLOCK_BYTES;
    const { length } = block;
    const last = from >= bytes.length ? 1 : 0;
    const least = [length & 0xff, length >> 8];
    parts.push(new Uint8Array([last, ...least, ...least.map((byte) => byte ^ 0xff)]), block);
  } while (from < bytes.length);
  return [...parts, new Uint8Array(bigEndian(adler32(bytes)))];
}

const digest = async (algorithm: string, bytes: Uint8Array) =>
  new Uint8Array(await crypto.subtle.digest(algorithm, bytes as Uint8Array<ArrayBuffer>));

interface PackedObject {
  readonly type: ObjectType;
  readonly content: Uint8Array;
}

export class ObjectPack {
  readonly #algorithm: "SHA-1" | "SHA-256";
  readonly #objects = new Map<string, PackedObject>();

  /** @param like an id of the repo, which tells how it names objects */
  constructor(like: string) {
    this.#algorithm = like.length === 40 ? "SHA-1" : "SHA-256";
  }

  /** @returns the object's id */
  async add(type: ObjectType, content: Uint8Array): Promise<string> {
    const header = new TextEncoder().encode(`${type} ${content.length}\0`);
    const id = (await digest(this.#algorithm, joinBytes([header, content]))).toHex();
    this.#objects.set(id, { type, content });
    return id;
  }

  async bytes(): Promise<Uint8Array> {
    const pack = joinBytes([
      new TextEncoder().encode("PACK"),
      new Uint8Array([...bigEndian(2), ...bigEndian(this.#objects.size)]),
      ...[...this.#objects.values()].flatMap(({ type, content }) => [
        new Uint8Array(objectHeader(type, content.length)),
        ...zlibStored(content),
      ]),
    ]);
    return joinBytes([pack, await digest(this.#algorithm, pack)]);
  }
}
