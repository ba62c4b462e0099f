/** Tells a prompt where to look first: what text, code graph and history suggest for the work. */
import { counted } from "svc/core/counted.ts";
import {
  CODE_HINT_DOCS,
  CODE_HINT_FILES,
  CODE_HINT_TESTS,
  PROMPT_HINT_BYTES,
  TOKEN_CHARS,
} from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { CodeScope } from "svc/features/code_intel/code_file.ts";
import type { PathKind } from "svc/features/code_intel/path_kind.ts";
import { suggest, type Suggestion } from "svc/features/code_intel/suggest.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { namesCredentials } from "svc/features/tools/credential_files.ts";
import { isReadable } from "svc/features/tools/path_arg.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";

/** Time that a job waits for its hint; what was found by then is used. */
export const CODE_HINT_MS = 2_000;

export interface CodeHint {
  readonly offered: readonly string[];
  /** At most `PROMPT_HINT_BYTES`; names of the repo, so data. */
  readonly lines: string;
  /** Estimated. They are paid for only once if the server caches the beginning of the prompt. */
  readonly tokens: number;
  readonly ms: number;
}

/** These files repeat the words of the work, but are not part of it. */
const WORDS_ONLY = /^(?:docs\/tickets|\.harness)\//;

export const mayBeHinted = (path: string) =>
  isReadable(path) && !namesCredentials(path) && !WORDS_ONLY.test(path) && !/\p{Cc}/u.test(path);

export function workText(
  ticket: { readonly facts: Ticket; readonly text: string } | undefined,
  request: string | undefined,
): string {
  if (ticket === undefined) return request ?? "";
  const body = ticket.text.replace(/^---\r?\n.*?\r?\n---\r?\n/s, "").split(/^## Evidence\s*$/m)[0];
  return [ticket.facts.title, ...ticket.facts.acceptance, body, request ?? ""].join("\n");
}

const GROUPS: readonly { kind: PathKind; title: string; most: number }[] = [
  { kind: "file", title: "Files", most: CODE_HINT_FILES },
  { kind: "test", title: "Tests", most: CODE_HINT_TESTS },
  { kind: "doc", title: "Documents", most: CODE_HINT_DOCS },
];

/** A file is left out below this share of the best one's points. */
const WORTH = 0.2;

function line({ path, why, symbols }: Suggestion): string {
  const places = symbols.map(({ kind, name, line, endLine }) =>
    `${kind} ${name} ${line}${endLine > line ? `-${endLine}` : ""}`
  );
  return `  ${path} (${why})${places.length === 0 ? "" : `: ${places.join(", ")}`}`;
}

export function hintOf(ranked: readonly Suggestion[]): Pick<CodeHint, "lines" | "offered"> {
  const [offered, lines]: [string[], string[]] = [[], []];
  let room = PROMPT_HINT_BYTES;
  for (const { kind, title, most } of GROUPS) {
    const some = ranked.filter((one) => one.kind === kind && one.share >= WORTH).slice(0, most);
    for (const [at, one] of some.entries()) {
      const text = at === 0 ? `${title}:\n${line(one)}` : line(one);
      const bytes = new TextEncoder().encode(text).length + 1;
      if (bytes > room) return { offered, lines: lines.join("\n") };
      room -= bytes;
      offered.push(one.path);
      lines.push(text);
    }
  }
  return { offered, lines: lines.join("\n") };
}

type HintPorts = Pick<RuntimePorts, "clock" | "log" | "parsers">;

/**
 * Takes `CODE_HINT_MS` at most. If a repo cannot be searched, the job runs without a hint. @throws the reason
 * of `signal`
 */
export async function codeHint(
  { clock, log, parsers }: HintPorts,
  { git, folder }: Pick<Checkout, "git" | "folder">,
  { text, signal }: { readonly text: string; readonly signal: AbortSignal },
): Promise<CodeHint> {
  const started = clock.monotonic();
  const over = new AbortController();
  void clock.sleep(CODE_HINT_MS, over.signal).then(() => over.abort());
  const scope: CodeScope = {
    git,
    folder,
    parsers,
    allowed: mayBeHinted,
    signal: AbortSignal.any([signal, over.signal]),
  };
  let found: Pick<CodeHint, "lines" | "offered"> = { offered: [], lines: "" };
  try {
    const { ranked, complete } = await suggest(scope, { text });
    found = hintOf(ranked);
    if (!complete) log.write("info", "the code hint is of what was found in time");
  } catch (thrown) {
    signal.throwIfAborted();
    log.write("warn", "no code hint", { why: Failure.from(thrown).message });
  } finally {
    over.abort();
  }
  signal.throwIfAborted();
  const tokens = Math.ceil(found.lines.length / TOKEN_CHARS);
  return { ...found, tokens, ms: Math.round(clock.monotonic() - started) };
}

/** What the hint cost, for the job's progress. */
export function hintCost({ offered, tokens, ms }: CodeHint): string {
  if (offered.length === 0) return `no hint of where to look (${ms} ms)`;
  const files = counted(offered.length, "file");
  return `the prompt names ${files} to look at first: some ${tokens} tokens, found in ${ms} ms`;
}
