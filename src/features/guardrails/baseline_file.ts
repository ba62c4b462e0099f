/** Reads and writes the baseline in a target repo. */
import { FILE_READ_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { type Baseline, BASELINE_PATH, parseBaseline, serializeBaseline } from "./baseline.ts";
import type { FingerprintKey } from "./fingerprint.ts";
import type { SecretScanResult } from "./secret_scan.ts";

/** Undefined when the repo has none. @throws Failure `conflict` when it is not valid */
export async function readBaseline(folder: Pick<Folder, "read">): Promise<Baseline | undefined> {
  try {
    const { bytes, truncated } = await folder.read(BASELINE_PATH, { maxBytes: FILE_READ_BYTES });
    if (!truncated) return parseBaseline(new TextDecoder().decode(bytes));
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === "not_found") return undefined;
    throw thrown;
  }
  throw new Failure("conflict", `Cannot read "${BASELINE_PATH}": it is larger than 1 MiB`, {
    remedy: "Mend the findings it lists, then: svc guardrails secret-scan --write-baseline",
  });
}

/** Lists every present finding and drops what is gone. Returns how many are listed. */
export async function writeBaseline(
  folder: Pick<Folder, "makeFolder" | "write">,
  key: FingerprintKey,
  { findings, known }: SecretScanResult,
): Promise<number> {
  const listed = [...findings, ...known];
  await folder.makeFolder(BASELINE_PATH.slice(0, BASELINE_PATH.lastIndexOf("/")));
  const text = serializeBaseline({ key, findings: listed });
  await folder.write(BASELINE_PATH, new TextEncoder().encode(text));
  return new Set(listed.map(({ rule, path, fingerprint }) => `${rule}\0${path}\0${fingerprint}`))
    .size;
}
