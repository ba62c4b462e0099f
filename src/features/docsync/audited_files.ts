/** The files of a repo that an audit looks at: pages as a whole, of code the top. */
import { folderOf } from "svc/core/path_parts.ts";
import { pathFacts } from "svc/features/scanner/path_facts.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { type Metadata, readMetadata } from "./metadata.ts";
import { TASK_FILES } from "./tasks.ts";

/** A longer page, or a longer top of a file, is data. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** Metadata stands in the first 800 characters, of four bytes at most. */
const TOP_BYTES = 3200;

export interface Page {
  readonly path: string;
  readonly text: string;
  readonly metadata: Metadata | undefined;
}

export interface AuditedFiles {
  readonly pages: readonly Page[];
  /** Code whose top names documents. */
  readonly code: readonly { readonly path: string; readonly metadata: Metadata }[];
  /** Code that could have metadata, by path. */
  readonly plain: readonly string[];
  readonly has: (path: string) => boolean;
  readonly paths: readonly string[];
}

export interface AuditQuery {
  readonly repo: GitRepo;
  readonly readTree: ReadTree;
  readonly signal: AbortSignal;
  /** Epoch ms. */
  readonly now: number;
  /** svc's own commands: why these words, without the program, name none; undefined where they do. */
  readonly commandFault: (words: readonly string[]) => string | undefined;
}

function isPage(path: string): boolean {
  const { language, foreign, sample, test, ticket } = pathFacts(path);
  return language === "markup" && !foreign && !sample && !test && !ticket;
}

function isCode(path: string): boolean {
  const { language, foreign, sample, test } = pathFacts(path);
  return language !== undefined && language !== "markup" && !foreign && !sample && !test;
}

async function readFiles({ repo, readTree, signal }: AuditQuery) {
  const { paths } = await repo.listFiles();
  const texts = new Map<string, string>();
  const wanted = paths.filter((path) =>
    isPage(path) || isCode(path) || (TASK_FILES as readonly string[]).includes(path)
  );
  const decoder = new TextDecoder();
  const plan = { root: repo.root, paths: wanted, maxBytes: PAGE_BYTES, signal };
  await readTree(plan, (path, content) => {
    if (typeof content === "string") return;
    const whole = isPage(path) || (TASK_FILES as readonly string[]).includes(path);
    texts.set(path, decoder.decode(whole ? content : content.subarray(0, TOP_BYTES)));
  });
  return { paths, texts };
}

export async function auditedFiles(query: AuditQuery) {
  const { paths, texts } = await readFiles(query);
  const known = new Set(paths);
  for (const path of paths) {
    for (let at = folderOf(path); at !== "" && !known.has(at); at = folderOf(at)) known.add(at);
  }
  const pages: Page[] = [];
  const code: { path: string; metadata: Metadata }[] = [];
  const plain: string[] = [];
  for (const [path, text] of texts) {
    const page = isPage(path);
    const metadata = readMetadata(text, page);
    if (page) pages.push({ path, text, metadata });
    else if (!isCode(path)) continue;
    else if (metadata === undefined) plain.push(path);
    else code.push({ path, metadata });
  }
  const files: AuditedFiles = { pages, code, plain, paths, has: (path) => known.has(path) };
  return { files, texts };
}
