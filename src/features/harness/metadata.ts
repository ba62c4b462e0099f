/** `.harness/metadata.json`: what svc created in a repo, so that updating and leaving are exact. */
import { Failure } from "svc/core/failure.ts";
import { VERSION } from "svc/core/version.ts";
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { isStrange, type JournalTarget, look } from "svc/platform/files/journal_target.ts";
import type { Project } from "./detect.ts";
import { jsonText } from "./json_text.ts";
import type { Routing } from "./model_routing.ts";

export const METADATA_PATH = ".harness/metadata.json";

export interface CreatedFile {
  readonly sha256: string;
  /** svc's content, the common ancestor when a newer default is offered. */
  readonly text: string;
  /** SHA-256 of the newest default offered beside a changed file. */
  readonly offered?: string;
}

export interface Metadata {
  readonly format: 1;
  readonly tool_version: string;
  /** A harness of an earlier svc knows no set-up. */
  readonly project: Omit<Project, "setup"> & Partial<Pick<Project, "setup">>;
  readonly routing: Routing;
  readonly files: Readonly<Record<string, CreatedFile>>;
  /** Folders that init made, outermost first. */
  readonly folders: readonly string[];
  /** "file": init made `.gitignore` itself. */
  readonly gitignore: "none" | "block" | "file";
}

export function metadataText(metadata: Omit<Metadata, "format" | "tool_version">): string {
  return jsonText({ format: 1, tool_version: VERSION, ...metadata });
}

function damaged(cause?: unknown): Failure {
  return new Failure("environment", `Cannot read "${METADATA_PATH}": it is damaged`, {
    cause,
    remedy: `git checkout -- ${METADATA_PATH}`,
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Committed data is not trusted: whoever uses the paths checks them again. */
function isMetadata(value: unknown): value is Metadata {
  if (!isRecord(value) || value.format !== 1 || !isRecord(value.files)) return false;
  const created = Object.values(value.files).every((file) =>
    isRecord(file) && typeof file.sha256 === "string" && typeof file.text === "string"
  );
  const { project } = value;
  const texts = (value: unknown) =>
    Array.isArray(value) && value.every((one) => typeof one === "string");
  const commands = (value: unknown) =>
    Array.isArray(value) &&
    value.every((one) =>
      isRecord(one) && typeof one.name === "string" && Array.isArray(one.run) &&
      one.run.every((word) => typeof word === "string")
    );
  const known = isRecord(project) && typeof project.name === "string" &&
    typeof project.default_branch === "string" && typeof project.version === "string" &&
    texts(project.docs) && texts(project.languages) &&
    commands(project.checks) && commands(project.setup ?? []);
  return created && texts(value.folders) && known && isRecord(value.routing) &&
    ["none", "block", "file"].includes(String(value.gitignore));
}

/** Undefined when the repo has none. @throws Failure `environment` when it is damaged */
export async function readMetadata(target: JournalTarget): Promise<Metadata | undefined> {
  const found = await look(target, METADATA_PATH);
  if (found === undefined) return undefined;
  if (isStrange(found)) {
    throw new Failure("environment", `Cannot read "${METADATA_PATH}": ${found.strange}`, {
      remedy: `Make both a plain folder and a plain file: ls -ld .harness ${METADATA_PATH}`,
    });
  }
  if (found.bytes.length > FILE_WRITE_BYTES) throw damaged();
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(found.bytes));
  } catch (cause) {
    throw damaged(cause);
  }
  if (!isMetadata(value)) throw damaged();
  return value;
}
