/** Reads and parses a file of a repo, or says why it cannot. */
import { Failure } from "svc/core/failure.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import type { Parsers, SyntaxTree } from "svc/platform/tree_sitter.ts";
import type { Language } from "./language.ts";
import { languageOf } from "./languages/all.ts";

/** Larger files are generated or data, and are not parsed. */
export const CODE_FILE_BYTES = 1024 * 1024;

/** The files of a work tree that code is read from, and how. */
export interface CodeScope {
  readonly git: Pick<
    GitRepo,
    "changedWith" | "grep" | "listFiles" | "recentCommits" | "wordCounts"
  >;
  readonly folder: Pick<Folder, "read" | "stat">;
  /** Larger files are not parsed; `CODE_FILE_BYTES` by default. */
  readonly parsedBytes?: number;
  /** Starts the parser at the first call; absent: nothing is parsed. */
  readonly parsers?: (() => Promise<Parsers>) | undefined;
  /** False for a file that must not be shown. */
  allowed(path: string): boolean;
  readonly signal: AbortSignal;
}

export interface SourceText {
  readonly text: string;
  /** Offset at which each line starts, the first line at index 0. */
  readonly lineStarts: readonly number[];
}

export interface ParsedFile extends SourceText {
  readonly language: Language;
  readonly syntax: SyntaxTree;
}

export interface UnparsedFile {
  readonly why: string;
  readonly source?: SourceText;
}

/** Git takes a file with a NUL in its first 8,000 bytes for binary. */
const PROBE_BYTES = 8000;

function sourceOf(bytes: Uint8Array): SourceText {
  const text = new TextDecoder().decode(bytes);
  const lineStarts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    lineStarts.push(at + 1);
  }
  return { text, lineStarts };
}

export function lineOf({ text, lineStarts }: SourceText, line: number): string {
  const end = lineStarts[line] ?? text.length + 1;
  return text.slice(lineStarts[line - 1] ?? text.length, end - 1).replace(/\r$/, "");
}

type FileScope = Pick<CodeScope, "folder" | "parsedBytes" | "parsers" | "signal">;

/** Undefined also for what is no regular file, such as a link. */
async function bytesOf({ folder, parsedBytes }: FileScope, path: string) {
  try {
    return await folder.read(path, { maxBytes: parsedBytes ?? CODE_FILE_BYTES });
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code !== "internal") return undefined;
    throw thrown;
  }
}

/** Calls `use` with the parsed file, which is freed afterwards, or with why it is not parsed. */
export async function withCode<T>(
  scope: FileScope,
  path: string,
  use: (file: ParsedFile | UnparsedFile) => T,
): Promise<T> {
  scope.signal.throwIfAborted();
  const content = await bytesOf(scope, path);
  if (content === undefined) return use({ why: "it is no regular file that can be read" });
  const { bytes, truncated, size } = content;
  if (bytes.subarray(0, PROBE_BYTES).includes(0)) return use({ why: "it is a binary file" });
  if (truncated) {
    return use({
      why: `it has ${size} bytes; at most ${scope.parsedBytes ?? CODE_FILE_BYTES} are parsed`,
    });
  }
  const source = sourceOf(bytes);
  const language = languageOf(path);
  if (language === undefined) {
    return use({ why: "its language is not one that is parsed", source });
  }
  const parsers = await scope.parsers?.();
  if (parsers === undefined) return use({ why: "code is not parsed here", source });
  const parsed = await parsers.parse(language.grammar, source.text);
  if (parsed === "too_slow") return use({ why: "parsing it takes too long", source });
  if (parsed === "parser_failed") return use({ why: "the parser gave up", source });
  using syntax = parsed;
  return use({ ...source, language, syntax });
}
