/** Where a target repo keeps its manifest (spec section 2.1); apart, since its shape costs zod. */
export const MANIFEST_PATH = ".harness/manifest.yaml";

/** A larger file is no manifest. */
export const MANIFEST_BYTES = 1024 * 1024;
