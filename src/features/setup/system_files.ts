/** Reads the small files in which Linux tells of itself: /proc and /sys. */
import { Failure } from "svc/core/failure.ts";
import type { Files } from "svc/platform/files/files.ts";

const FACT_BYTES = 256 * 1024;

/** Undefined where this kernel or container has no such file. */
export async function factAt(
  files: Pick<Files, "readText">,
  path: string,
): Promise<string | undefined> {
  try {
    return await files.readText(path, { maxBytes: FACT_BYTES, lossy: true });
  } catch (thrown) {
    const { code } = Failure.from(thrown);
    if (code === "not_found" || code === "environment") return undefined;
    throw thrown;
  }
}
