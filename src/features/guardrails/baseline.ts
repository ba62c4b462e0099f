/** The baseline: the committed list of findings that a team has reviewed. */
import { FILE_READ_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { type FingerprintKey, KEY_BYTES } from "./fingerprint.ts";

export const BASELINE_PATH = ".harness/secret-baseline.json";

export interface KnownFinding {
  readonly rule: string;
  readonly path: string;
  readonly fingerprint: string;
}

export interface Baseline {
  readonly key: FingerprintKey;
  readonly findings: readonly KnownFinding[];
}

const VERSION = 1;
const FIELDS = ["fingerprint", "path", "rule"] as const;

function refuse(what: string, line?: number): Failure {
  const where = line === undefined ? "" : `line ${line}: `;
  return new Failure("conflict", `Cannot read "${BASELINE_PATH}": ${where}${what}`, {
    remedy:
      "Restore the file from git, or make it anew: svc guardrails secret-scan --write-baseline",
  });
}

function lineOfEntry(text: string, n: number): number {
  let at = text.indexOf('"findings"');
  for (let i = 0; i <= n && at >= 0; i++) at = text.indexOf("{", at + 1);
  return text.slice(0, Math.max(0, at)).split("\n").length;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const position = String(thrown).match(/position (\d+)/)?.[1];
    const line = position === undefined
      ? undefined
      : text.slice(0, Number(position)).split("\n").length;
    throw refuse("it is not valid JSON", line);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function keyOf(salt: unknown): FingerprintKey {
  try {
    const key = Uint8Array.fromBase64(String(salt));
    if (key.length === KEY_BYTES) return key;
  } catch {
    // Not base64: refused below like a key of the wrong length.
  }
  throw refuse(`"salt" is not ${KEY_BYTES} bytes in base64`);
}

function entryOf(value: unknown, n: number, text: string): KnownFinding {
  const line = () => lineOfEntry(text, n);
  if (!isRecord(value)) throw refuse("a finding is not an object", line());
  for (const field of Object.keys(value)) {
    if (!(FIELDS as readonly string[]).includes(field)) {
      throw refuse(`unknown field "${field}"`, line());
    }
  }
  const [fingerprint, path, rule] = FIELDS.map((field) => {
    const one = value[field];
    if (typeof one !== "string" || one === "") throw refuse(`"${field}" is not a text`, line());
    return one;
  }) as [string, string, string];
  if (!/^[0-9a-f]{32}$/.test(fingerprint)) {
    throw refuse('"fingerprint" is not 32 hex digits', line());
  }
  return { rule, path, fingerprint };
}

/** Parses a baseline strictly. @throws Failure `conflict` that names the faulty line */
export function parseBaseline(text: string): Baseline {
  const file = parseJson(text);
  if (!isRecord(file)) throw refuse("it is not an object");
  const { version, salt, findings, ...unknown } = file;
  const [field] = Object.keys(unknown);
  if (field !== undefined) throw refuse(`unknown field "${field}"`);
  if (version !== VERSION) throw refuse(`"version" is ${JSON.stringify(version)}, not ${VERSION}`);
  if (!Array.isArray(findings)) throw refuse('"findings" is not a list');
  return { key: keyOf(salt), findings: findings.map((one, n) => entryOf(one, n, text)) };
}

const idOf = ({ path, rule, fingerprint }: KnownFinding) => `${path}\0${rule}\0${fingerprint}`;

/** The file's text, with one finding on each line, sorted and unique, so that merges stay small. */
export function serializeBaseline({ key, findings }: Baseline): string {
  const byId = new Map(findings.map((one) => [idOf(one), one]));
  const lines = [...byId.keys()].sort().map((id) => {
    const { fingerprint, path, rule } = byId.get(id)!;
    return `    ${JSON.stringify({ path, rule, fingerprint })}`;
  });
  const list = lines.length === 0 ? "[]" : `[\n${lines.join(",\n")}\n  ]`;
  return `{\n  "version": ${VERSION},\n  "salt": "${key.toBase64()}",\n  "findings": ${list}\n}\n`;
}

export class BaselineMatcher {
  readonly #listed: Map<string, KnownFinding>;
  readonly #seen = new Set<string>();

  constructor(findings: readonly KnownFinding[]) {
    this.#listed = new Map(findings.map((one) => [idOf(one), one]));
  }

  has(finding: KnownFinding): boolean {
    const id = idOf(finding);
    if (!this.#listed.has(id)) return false;
    this.#seen.add(id);
    return true;
  }

  unseen(): KnownFinding[] {
    return [...this.#listed].filter(([id]) => !this.#seen.has(id)).map(([, one]) => one);
  }
}

/** Undefined when the repo has no baseline. @throws Failure `conflict` when it is not valid */
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

/** Replaces the baseline. @returns the number of entries */
export async function writeBaseline(
  folder: Pick<Folder, "makeFolder" | "write">,
  key: FingerprintKey,
  listed: readonly KnownFinding[],
): Promise<number> {
  await folder.makeFolder(BASELINE_PATH.slice(0, BASELINE_PATH.lastIndexOf("/")));
  const text = serializeBaseline({ key, findings: listed });
  await folder.write(BASELINE_PATH, new TextEncoder().encode(text));
  return new Set(listed.map(idOf)).size;
}
