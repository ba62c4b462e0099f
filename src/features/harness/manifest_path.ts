/**
 * Where a target repo keeps its manifest (spec section 2.1). A module of its own, since the manifest's shape
 * needs zod, which is slow to load.
 */
export const MANIFEST_PATH = ".harness/manifest.yaml";

/** A larger file is no manifest. */
export const MANIFEST_BYTES = 1024 * 1024;
