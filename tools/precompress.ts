/** Compresses files of the pages once, when svc is built, as far as each coding goes. */
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { CODED_ENDINGS } from "svc/http/page_files.ts";
import type { Coding } from "svc/http/page_asset.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const COMPRESSORS: Readonly<Record<Coding, (bytes: Bytes) => Bytes>> = {
  br: (bytes) =>
    new Uint8Array(
      brotliCompressSync(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
        },
      }),
    ),
  gzip: (bytes) => new Uint8Array(gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION })),
};

export const compressed = (coding: Coding, bytes: Bytes): Bytes => COMPRESSORS[coding](bytes);

/** Pairs of an ending and what belongs into the file with it; none that is no smaller. */
export function precompressed(bytes: Bytes): readonly (readonly [string, Bytes])[] {
  return (Object.entries(CODED_ENDINGS) as [Coding, string][])
    .map(([coding, ending]) => [ending, compressed(coding, bytes)] as const)
    .filter(([, packed]) => packed.byteLength < bytes.byteLength);
}
