/** Judges the specification's promises against the tests that cite them, and renders their page. */
import { REQUIREMENTS } from "tests/contract/requirements.ts";
import type { Requirement } from "tests/contract/requirements/requirement.ts";

export interface Citation {
  readonly id: string;
  /** Path from the root of the checkout. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** False inside a test whose options say `ignore: true` literally: it never runs. */
  readonly counts: boolean;
  /** The test is skipped where something that it needs is missing. */
  readonly conditional: boolean;
}

export interface Findings {
  readonly citations: readonly Citation[];
  /** Citations that cannot be read or never run, as text for the developer. */
  readonly faults: readonly string[];
}

interface Token {
  readonly text: string;
  readonly start: number;
}

const ID = /^\d+(\.\d+)?:[a-z0-9]+(-[a-z0-9]+)*:[a-z0-9]+(-[a-z0-9]+)*$/;
/** File names that `deno test` picks up by itself. */
const TEST_FILE = /[_.]test\.ts$/;

const BLANK = /\s+|\/\/[^\n]*|\/\*[^]*?\*\//y;
const TEMPLATE_PART = /[`}](?:\\[^]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\/\\\n\[])+\/[a-z]*/y;
const WORD_OR_SIGN = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\w$]+|[^]/y;
/** After a value a slash divides; after anything else it opens a regular expression. */
const VALUE_END = /^(?!(?:return|typeof|case|in|of|do|else|void|await|yield)$)["'`}\w$)\]]/;

/**
 * The tokens of TypeScript source without blanks and comments, so that text in comments, strings and
 * templates is never taken for code. A template comes as its pieces between `${` and `}`.
 */
function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  const openBraces: ("block" | "template")[] = [];
  for (let at = 0; at < source.length;) {
    const match = (pattern: RegExp) => {
      pattern.lastIndex = at;
      return pattern.exec(source)?.[0];
    };
    const blank = match(BLANK);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const closed = source[at] === "}" ? openBraces.pop() : undefined;
    const inTemplate = source[at] === "`" || closed === "template";
    const mayBeRegex = source[at] === "/" && !VALUE_END.test(tokens.at(-1)?.text ?? "");
    const text = (inTemplate ? match(TEMPLATE_PART) : undefined) ??
      (mayBeRegex ? match(REGEX) : undefined) ?? match(WORD_OR_SIGN)!;
    if (inTemplate && text.endsWith("${")) openBraces.push("template");
    if (text === "{") openBraces.push("block");
    tokens.push({ text, start: at });
    at += text.length;
  }
  return tokens;
}

/** The arguments of the call whose opening parenthesis is at `open`, each as its token texts. */
function argumentsOf(tokens: readonly Token[], open: number): string[][] {
  const args: string[][] = [[]];
  let depth = 1;
  for (const { text } of tokens.slice(open + 1)) {
    if (/^[([{]$/.test(text)) depth++;
    if (/^[)\]}]$/.test(text)) depth--;
    if (depth === 0) break;
    if (depth === 1 && text === ",") args.push([]);
    else args.at(-1)!.push(text);
  }
  return args;
}

/** `"a"` and `["a", "b"]` as their ids; undefined for anything that is not literal. */
function literalIds(arg: readonly string[]): string[] | undefined {
  const inner = arg[0] === "[" && arg.at(-1) === "]" ? arg.slice(1, -1) : arg;
  const items = inner.filter((text) => text !== ",");
  const literal = items.length > 0 && items.every((text) => /^["']/.test(text));
  return literal ? items.map((text) => text.slice(1, -1)) : undefined;
}

function isIgnored(options: readonly string[] = []): boolean {
  return options[0] === "{" && /[{,] ignore : true [},]/.test(options.join(" "));
}

/** Options that may say `ignore` without saying it literally: `{ ignore: noGit }`, `needs("zsh")`. */
function mayBeSkipped(options: readonly string[]): boolean {
  return options[0] !== "{" || options.includes("ignore") || options.includes(".");
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

function citationsInModule(file: string, source: string): Findings {
  const citations: Citation[] = [];
  const faults: string[] = [];
  const tokens = tokensOf(source);
  for (const [index, { text, start }] of tokens.entries()) {
    if (text !== "verifies" || tokens[index + 1]?.text !== "(") continue;
    if (["function", "."].includes(tokens[index - 1]?.text ?? "")) continue;
    const line = lineAt(source, start);
    const [first = [], , ...rest] = argumentsOf(tokens, index + 1).filter(({ length }) =>
      length > 0
    );
    const options = rest.length > 1 ? rest[0] : undefined;
    const conditional = options !== undefined && mayBeSkipped(options);
    const ids = literalIds(first);
    if (!TEST_FILE.test(file)) {
      faults.push(
        `${file}:${line}: verifies() stands outside a test file, so it never runs by itself`,
      );
    } else if (ids === undefined) {
      faults.push(`${file}:${line}: verifies() needs its ids as string literals`);
    } else {
      const counts = !isIgnored(options);
      citations.push(...ids.map((id) => ({ id, file, line, counts, conditional })));
    }
  }
  return { citations, faults };
}

/** A script cites with `# verifies: <id> <id>` above the first file (`-- name --`) of its archive. */
function citationsInScript(file: string, archive: string): Findings {
  const citations: Citation[] = [];
  const faults: string[] = [];
  const header = archive.split(/^-- .+ --$/m, 1)[0]!;
  for (const match of header.matchAll(/^# verifies:(.*)$/gm)) {
    const line = lineAt(header, match.index);
    const ids = match[1]!.split(/\s+/).filter((id) => id !== "");
    if (ids.length === 0) faults.push(`${file}:${line}: "# verifies:" names no id`);
    citations.push(...ids.map((id) => ({ id, file, line, counts: true, conditional: false })));
  }
  return { citations, faults };
}

/** What one test file (`.ts`) or script (`.txtar`) cites. */
export function citationsIn(file: string, text: string): Findings {
  return file.endsWith(".txtar") ? citationsInScript(file, text) : citationsInModule(file, text);
}

/** The files whose tests prove each id. */
function proofs(citations: readonly Citation[]): Map<string, Set<string>> {
  const files = new Map<string, Set<string>>();
  for (const { id, file } of citations.filter(({ counts }) => counts)) {
    files.set(id, (files.get(id) ?? new Set()).add(file));
  }
  return files;
}

/** Every disagreement between promises and tests, as text for the developer; empty when there is none. */
export function judge(requirements: readonly Requirement[], found: Findings): string[] {
  const faults = [...found.faults];
  const proven = proofs(found.citations);
  const seen = new Set<string>();
  for (const { id, section, promise, deferred } of requirements) {
    if (!ID.test(id) || !id.startsWith(`${section}:`)) {
      faults.push(
        `"${id}" must read section:subject:promise in kebab-case, in section "${section}"`,
      );
    }
    if (seen.has(id)) faults.push(`"${id}" is declared twice`);
    seen.add(id);
    if (promise.trim() === "") faults.push(`"${id}" promises nothing`);
    if (deferred?.trim() === "") faults.push(`"${id}" is deferred without a reason`);
    const files = [...proven.get(id) ?? []].join(", ");
    if (deferred === undefined && files === "") {
      faults.push(`"${id}" has no test: cite it with verifies() or give a reason to defer it`);
    }
    if (deferred !== undefined && files !== "") {
      faults.push(`"${id}" is deferred but proven by ${files}: delete its "deferred"`);
    }
  }
  for (const { id, file, line } of found.citations) {
    if (!seen.has(id)) faults.push(`${file}:${line}: "${id}" is no requirement`);
  }
  return faults;
}

function counts(requirements: readonly Requirement[], proven: ReadonlyMap<string, unknown>) {
  const tested = requirements.filter(({ id }) => proven.has(id)).length;
  const deferred = requirements.filter((r) => !proven.has(r.id) && r.deferred !== undefined).length;
  return { all: requirements.length, tested, deferred };
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** The Markdown of `docs/generated/requirements.md`: totals first, then one table a section. */
export function requirementsPage(
  requirements: readonly Requirement[],
  citations: readonly Citation[],
): string {
  const proven = proofs(citations);
  const everywhere = proofs(citations.filter(({ conditional }) => !conditional));
  const mark = (id: string) => everywhere.has(id) ? "" : " (skipped where a part is missing)";
  const proof = ({ id, deferred }: Requirement) =>
    proven.has(id)
      ? [...proven.get(id)!].sort().map((file) => `\`${file}\``).join(", ") + mark(id)
      : deferred === undefined
      ? "no test"
      : `deferred: ${deferred}`;
  const total = counts(requirements, proven);
  const sections = [...Map.groupBy(requirements, ({ section }) => section)];
  const lines = [
    "# Requirements",
    "",
    "The promises of the specification and the tests that prove them. Written by `deno task gen`.",
    "",
    "| section | promises | proven | deferred |",
    "| --- | ---: | ---: | ---: |",
    `| **all** | ${total.all} | ${total.tested} | ${total.deferred} |`,
  ];
  for (const [section, members] of sections) {
    const { all, tested, deferred } = counts(members, proven);
    lines.push(`| ${section} | ${all} | ${tested} | ${deferred} |`);
  }
  for (const [section, members] of sections) {
    const { tested, deferred } = counts(members, proven);
    lines.push("", `## Section ${section}`, "", `${tested} proven, ${deferred} deferred.`, "");
    lines.push("| id | promise | proven by |", "| --- | --- | --- |");
    for (const each of members) {
      lines.push(`| \`${each.id}\` | ${cell(each.promise)} | ${cell(proof(each))} |`);
    }
  }
  return lines.join("\n") + "\n";
}

async function testFiles(root: string, folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${root}/${folder}`)) {
    const path = `${folder}/${name}`;
    if (isDirectory) files.push(...await testFiles(root, path));
    else if (/\.(ts|txtar)$/.test(name)) files.push(path);
  }
  return files.sort();
}

/** What all files below `tests/` of the checkout at `root` cite, by file name. */
export async function readCitations(root: string): Promise<Findings> {
  const files = await testFiles(root, "tests");
  const found = await Promise.all(
    files.map(async (file) => citationsIn(file, await Deno.readTextFile(`${root}/${file}`))),
  );
  return {
    citations: found.flatMap(({ citations }) => citations),
    faults: found.flatMap(({ faults }) => faults),
  };
}

/** The page of the checkout at `root`, with the path that it belongs to. */
export async function generateRequirementsPage(
  root: string,
): Promise<{ path: string; text: string }> {
  const { citations } = await readCitations(root);
  return {
    path: "docs/generated/requirements.md",
    text: requirementsPage(REQUIREMENTS, citations),
  };
}
