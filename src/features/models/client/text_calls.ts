/** Finds tool calls in a model's text, for models without native calls and servers that leak what they should parse. */
import { withoutEnding } from "svc/core/text_ends.ts";
import type { OfferedTools, TextCall } from "./text_formats/call.ts";
import { harmonyReply } from "./text_formats/harmony.ts";
import { LEFT_TAGS, SPECIAL_TOKENS } from "./text_formats/marks.ts";
import { type Piece, PieceCutter } from "./text_formats/pieces.ts";
import {
  announcedCalls,
  leadingCalls,
  reactCalls,
  trailingCalls,
  wholeCalls,
} from "./text_formats/plain.ts";
import { isAnnounced, isDiscussed, isQuoted } from "./text_formats/standing.ts";
import { definitionsOf } from "./text_tools.ts";

export interface TextCalls {
  readonly calls: readonly TextCall[];
  /** Without the calls, and without the special tokens that a server left in it. */
  readonly text: string;
  /** What gpt-oss thought, where its server left that in the text too. */
  readonly reasoning?: string;
}

/** Fences whose content may be a call; a file is quoted in its own language. */
const CALL_LABEL = /^(?:json[c5]?|xml|tool_?calls?|tool_?code|function_?calls?|python|py|)$/i;
/** In a fence without a label a mark is an example. */
const MARK_LABEL = /^(?:json[c5]?|xml|tool_?calls?|tool_?code|function_?calls?)$/i;

const sourceOf = (pieces: readonly Piece[]) => pieces.map(({ source }) => source).join("");

/** The calls of a fenced block that holds nothing else. */
function fencedCalls({ kind, inner, label }: Piece, offered: OfferedTools): readonly TextCall[] {
  if (kind !== "fence" || !CALL_LABEL.test(label)) return [];
  const plain = wholeCalls(inner, offered);
  if (plain !== undefined || !MARK_LABEL.test(label)) return plain?.calls ?? [];
  const marked = new PieceCutter(inner.trim(), offered).cut();
  const only = marked.every(({ kind, source }) => kind === "call" || source.trim() === "");
  return only ? marked.flatMap(({ calls }) => calls) : [];
}

const CODE_OR_TOKEN = new RegExp(`\`[^\`\\n]*\`|${SPECIAL_TOKENS}`, "g");
/** What is left of the tokens that end a reply, also of one that a limit cut. */
const END_TOKENS = /(?:<\/s>|<eos>|<end_of_turn>|\[e~\[|<[|｜][\w▁]{0,40})\s*$/;
/** Command-R's label of its calls. */
const LABEL = "Action:";

function visible({ kind, source }: Piece): string {
  if (kind !== "text") return source;
  return source.replaceAll(CODE_OR_TOKEN, (found) => found.startsWith("`") ? found : "");
}

function visibleText(pieces: readonly Piece[]): string {
  return pieces.map(visible).join("").replace(END_TOKENS, "");
}

/** The words of the text piece before or behind a block, without a label of calls. */
function wordsOf(piece: Piece | undefined): string {
  if (piece?.kind !== "text") return "";
  const said = visible(piece);
  const words = withoutEnding(said, " \t\r\n");
  return words.endsWith(LABEL) ? words.slice(0, -LABEL.length) : said;
}

/** Marked calls count where they are meant; calls with nothing between them stand or fall together. */
function markedCalls(pieces: readonly Piece[]): (readonly TextCall[])[] {
  const said = pieces.map((piece) => piece.kind === "call" ? "" : visible(piece).trim());
  const read: (readonly TextCall[])[] = pieces.map(() => []);
  let before: Piece | undefined;
  for (let at = 0; at < pieces.length; at++) {
    if (said[at] !== "") before = pieces[at];
    if (pieces[at]!.kind !== "call") continue;
    let end = at + 1;
    while (said[end] === "") end++;
    if (!isDiscussed(wordsOf(before), wordsOf(pieces[end]))) {
      for (let one = at; one < end; one++) read[one] = pieces[one]!.calls;
    }
    at = end - 1;
  }
  return read;
}

/** Fences count at the end of a reply, or where it begins with one: elsewhere they may be a quoted file. */
function addFenced(
  pieces: readonly Piece[],
  read: (readonly TextCall[])[],
  offered: OfferedTools,
): void {
  const fenced = pieces.map((piece) => fencedCalls(piece, offered));
  // Words may stand between fenced calls when every block of the reply is one: none is an example then.
  const nothingElse = pieces.every(({ kind }, at) =>
    kind === "text" || kind === "call" || fenced[at]!.length > 0
  );
  let ended = false;
  for (let at = pieces.length - 1; at >= 0; at--) {
    if (read[at]!.length > 0 || pieces[at]!.source.trim() === "") continue;
    if (!isQuoted(wordsOf(pieces[at - 1]))) read[at] = fenced[at]!;
    if (read[at]!.length > 0) ended = true;
    else if (!ended || !nothingElse) break;
  }
  if (!nothingElse || read.some((calls) => calls.length > 0)) return;
  const only = pieces.findIndex(({ kind }) => kind !== "text");
  const before = sourceOf(pieces.slice(0, Math.max(only, 0)));
  const after = sourceOf(pieces.slice(only + 1));
  const begins = before.trim() === "" && !isDiscussed("", after);
  if (only !== -1 && (begins || isAnnounced(before, after))) read[only] = fenced[only]!;
}

/** Undefined unless a call stands between marks or in a fence. */
function blockCalls(pieces: readonly Piece[], offered: OfferedTools): TextCalls | undefined {
  const read = markedCalls(pieces);
  addFenced(pieces, read, offered);
  if (read.every((calls) => calls.length === 0)) return undefined;
  const left = pieces.filter((_, at) => read[at]!.length === 0);
  const text = visibleText(left).replaceAll(LEFT_TAGS, "").replace(CUT_TAG, "").trim();
  return {
    calls: read.flat(),
    text: text.endsWith(LABEL) ? text.slice(0, -LABEL.length).trim() : text,
  };
}

const CUT_TAG = /<\/[\w:]{0,20}\s*$/;

/** Calls without marks and fences: at the end, as ReAct, or at the start. */
function plainCalls(pieces: readonly Piece[], offered: OfferedTools): TextCalls | undefined {
  const last = pieces.findLastIndex(({ kind }) => kind !== "text");
  const next = pieces.findIndex(({ kind }) => kind !== "text");
  const trailing = trailingCalls(visibleText(pieces.slice(last + 1)), offered);
  if (trailing !== undefined) {
    return {
      calls: trailing.calls,
      text: (visibleText(pieces.slice(0, last + 1)) + trailing.rest).trim(),
    };
  }
  const steps = reactCalls(pieces, offered);
  if (steps !== undefined) return { calls: steps.calls, text: steps.rest.trim() };
  const head = next === -1 ? pieces : pieces.slice(0, next);
  const leading = leadingCalls(visibleText(head), offered);
  if (leading === undefined) {
    const announced = last === -1 ? announcedCalls(visibleText(pieces), offered) : undefined;
    return announced && { calls: announced.calls, text: announced.rest.trim() };
  }
  return {
    calls: leading.calls,
    text: (leading.rest + visibleText(pieces.slice(head.length))).trim(),
  };
}

export function readTextCalls(text: string, tools: readonly unknown[]): TextCalls {
  const offered: OfferedTools = new Map(definitionsOf(tools).map((tool) => [tool.name, tool]));
  const harmony = harmonyReply(text, offered);
  const pieces = new PieceCutter(harmony?.text ?? text, offered).cut();
  const reasoning = harmony?.reasoning ? { reasoning: harmony.reasoning } : {};
  if (offered.size === 0 || (harmony?.calls.length ?? 0) > 0) {
    return { calls: harmony?.calls ?? [], text: visibleText(pieces), ...reasoning };
  }
  // What follows a result that the model made up was said believing it.
  const madeUp = pieces.findIndex(({ kind }) => kind === "result");
  const found = madeUp > 0 && blockCalls(pieces.slice(0, madeUp), offered) ||
    (blockCalls(pieces, offered) ?? plainCalls(pieces, offered));
  return { ...(found ?? { calls: [], text: visibleText(pieces) }), ...reasoning };
}
