/**
 * Writes GGUF files, the format of llama.cpp's models, version 3
 * (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): little-endian, data aligned to 32 bytes.
 */

/** Type numbers of values. */
const TYPES = { uint32: 4, int32: 5, float32: 6, string: 8, array: 9 } as const;
const F32 = 0;
const ALIGNMENT = 32;

export type GgufValue =
  | { readonly uint32: number }
  | { readonly float32: number }
  | { readonly string: string }
  | { readonly strings: readonly string[] }
  | { readonly int32s: readonly number[] };

export interface Tensor {
  /** The dimension whose values lie side by side comes first. */
  readonly dimensions: readonly number[];
  readonly data: Float32Array;
}

class Bytes {
  #parts: Uint8Array<ArrayBuffer>[] = [];
  length = 0;

  raw(part: Uint8Array<ArrayBuffer>): void {
    this.#parts.push(part);
    this.length += part.length;
  }

  #number(size: number, set: (view: DataView) => void): void {
    const part = new Uint8Array(size);
    set(new DataView(part.buffer));
    this.raw(part);
  }

  uint32 = (value: number) => this.#number(4, (view) => view.setUint32(0, value, true));
  int32 = (value: number) => this.#number(4, (view) => view.setInt32(0, value, true));
  float32 = (value: number) => this.#number(4, (view) => view.setFloat32(0, value, true));
  uint64 = (value: number) => this.#number(8, (view) => view.setBigUint64(0, BigInt(value), true));

  string(text: string): void {
    const part = new TextEncoder().encode(text);
    this.uint64(part.length);
    this.raw(part);
  }

  align(): void {
    this.raw(new Uint8Array((ALIGNMENT - this.length % ALIGNMENT) % ALIGNMENT));
  }

  blob = () => new Blob(this.#parts);
}

function writeValue(bytes: Bytes, value: GgufValue): void {
  if ("uint32" in value) {
    bytes.uint32(TYPES.uint32);
    bytes.uint32(value.uint32);
  } else if ("float32" in value) {
    bytes.uint32(TYPES.float32);
    bytes.float32(value.float32);
  } else if ("string" in value) {
    bytes.uint32(TYPES.string);
    bytes.string(value.string);
  } else if ("strings" in value) {
    writeArray(bytes, TYPES.string, value.strings, (item) => bytes.string(item));
  } else {
    writeArray(bytes, TYPES.int32, value.int32s, bytes.int32);
  }
}

function writeArray<T>(bytes: Bytes, type: number, items: readonly T[], write: (item: T) => void) {
  bytes.uint32(TYPES.array);
  bytes.uint32(type);
  bytes.uint64(items.length);
  for (const item of items) write(item);
}

const aligned = (length: number) => Math.ceil(length / ALIGNMENT) * ALIGNMENT;

export async function writeGguf(
  path: string,
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: Readonly<Record<string, Tensor>>,
): Promise<void> {
  const bytes = new Bytes();
  bytes.raw(new TextEncoder().encode("GGUF"));
  bytes.uint32(3);
  bytes.uint64(Object.keys(tensors).length);
  bytes.uint64(Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) {
    bytes.string(key);
    writeValue(bytes, value);
  }
  let offset = 0;
  for (const [name, { dimensions, data }] of Object.entries(tensors)) {
    bytes.string(name);
    bytes.uint32(dimensions.length);
    for (const size of dimensions) bytes.uint64(size);
    bytes.uint32(F32);
    bytes.uint64(offset);
    offset += aligned(data.byteLength);
  }
  for (const { data } of Object.values(tensors)) {
    bytes.align();
    bytes.raw(new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength));
  }
  bytes.align();
  await Deno.writeFile(path, bytes.blob().stream());
}
