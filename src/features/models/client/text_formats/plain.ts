/** Calls without marks: bare JSON, code and ReAct. They count at a reply's end or start, or where they are announced. */
import { withoutEnding } from "svc/core/text_ends.ts";
import { calledName, type OfferedTools, type Reading, type TextCall } from "./call.ts";
import { brokenCode, codeCalls, namedJson } from "./call_form.ts";
import { brokenCall, jsonCalls } from "./json_form.ts";
import { anyForm } from "./marks.ts";
import type { Piece } from "./pieces.ts";
import { isAnnounced, isDiscussed, isMeant, isQuoted } from "./standing.ts";

export interface Found {
  readonly calls: readonly TextCall[];
  /** The text without them. */
  readonly rest: string;
}

/** Each start is parsed; a text with more of them is prose with brackets. */
const STARTS = 8;
const JSON_START =
  /^[ \t]*[[{]|[[{]\s{0,8}\{?\s{0,8}["'](?:name|tool|tool_name|tool_calls?|function|action|type)["']\s{0,8}:/gm;
const BEHIND_CALL = " \t\r\n`*;.,!✅✔\uFE0F";

function endOf(text: string): number {
  return withoutEnding(text, BEHIND_CALL).length;
}

function isWhole(text: string, reading: Reading | undefined): reading is Reading {
  return reading !== undefined && endOf(text.slice(reading.end)) === 0;
}

function isAlone(lead: string): boolean {
  return /^[\s`*]*$/.test(lead);
}

function lineBefore(text: string, at: number): string {
  return text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
}

function jsonStarts(text: string): number[] {
  const starts: number[] = [];
  for (const { 0: match, index } of text.matchAll(JSON_START)) {
    starts.push(index + (match.length - match.trimStart().length));
    if (starts.length === STARTS) break;
  }
  return starts;
}

const BROKEN_JSON =
  /^\[?\s*\{\s*["'](?:name|tool)["']\s*:\s*["'][\w.:-]+["']\s*,\s*["'](?:arguments|parameters)["']\s*:/;

/** Its error goes back to the model. Whole JSON with words behind it is not broken. */
function brokenJson(text: string, offered: OfferedTools): Reading | undefined {
  const broken = BROKEN_JSON.test(text) && jsonCalls(text, offered) === undefined;
  return broken ? brokenCall(text, offered) : undefined;
}

/** All of a text, but for marks behind it, in a form that needs none around it. */
export function wholeCalls(text: string, offered: OfferedTools): Reading | undefined {
  const body = text.slice(0, endOf(text)).trimStart();
  const readers = [jsonCalls, codeCalls, namedJson];
  return readers.map((read) => read(body, offered)).find((one) => isWhole(body, one)) ??
    brokenJson(body, offered);
}

function trailingJson(text: string, offered: OfferedTools): Found | undefined {
  for (const start of jsonStarts(text)) {
    const json = text.slice(start, endOf(text));
    const lead = lineBefore(text, start);
    const read = jsonCalls(json, offered);
    const reading = isWhole(json, read)
      ? read
      : isAlone(lead)
      ? brokenJson(json, offered)
      : undefined;
    if (reading === undefined) continue;
    const before = text.slice(0, start);
    if (isQuoted(before) || !isMeant(lead)) return undefined;
    return { calls: reading.calls, rest: withoutMarks(before) };
  }
  return undefined;
}

/** Such as "Action: ```json" of Command-R: only leads up to the call. */
const LEAD_IN = /(?:\n|^)[ \t]{0,4}(?:Action:[ \t]{0,4})?(?:```\w{0,12})?$/;

function withoutMarks(before: string): string {
  return withoutEnding(before, " \t\r\n*[").replace(LEAD_IN, "").replace(/`{1,2}$/, "");
}

function codeStarts(text: string, offered: OfferedTools): number[] {
  const names = [...offered.keys()].map((name) => RegExp.escape(name)).join("|");
  const any = new RegExp(
    `(?:\\b(?:functions?|tools?|default_api)\\.|\\b)(?:${names})(?:\\(|:?\\s{0,4}\\{)`,
    "g",
  );
  return [...text.matchAll(any)].slice(-STARTS).map(({ index }) => index);
}

function trailingCode(text: string, offered: OfferedTools): Found | undefined {
  const starts = codeStarts(text, offered);
  for (const start of starts) {
    const listed = /\[\s{0,8}$/.exec(text.slice(Math.max(0, start - 10), start));
    const from = start - (listed?.[0].length ?? 0);
    const lead = lineBefore(text, from);
    const code = text.slice(from, endOf(text));
    const read = codeCalls(code, offered);
    const reading = isWhole(code, read)
      ? read
      : isAlone(lead)
      ? namedJson(code, offered) ?? brokenCode(code, offered)
      : undefined;
    if (!isWhole(code, reading)) continue;
    const before = text.slice(0, from);
    // `finish()` in a sentence is a mention, and a line with a call behind other such lines is one of a plan.
    const mention = !isAlone(lead) &&
      (start !== starts[0] || reading.calls.some(({ args }) => args === "{}"));
    if (mention || isQuoted(before) || !isMeant(lead)) return undefined;
    return { calls: reading.calls, rest: withoutMarks(before) };
  }
  return undefined;
}

/** At the end of a reply. */
export function trailingCalls(text: string, offered: OfferedTools): Found | undefined {
  return trailingJson(text, offered) ?? trailingCode(text, offered);
}

/** At its start, with words behind it. */
export function leadingCalls(text: string, offered: OfferedTools): Found | undefined {
  const body = text.trimStart();
  const code = codeCalls(body, offered);
  const ownLine = code !== undefined && /^[ \t]*(?:\r?\n|$)/.test(body.slice(code.end));
  const reading = jsonCalls(body, offered) ?? (ownLine ? code : undefined);
  if (reading === undefined) return undefined;
  const rest = body.slice(reading.end);
  return isDiscussed("", rest) ? undefined : { calls: reading.calls, rest };
}

/** In the middle of a reply, on lines of its own. */
export function announcedCalls(text: string, offered: OfferedTools): Found | undefined {
  for (const start of jsonStarts(text)) {
    if (!isAlone(lineBefore(text, start))) continue;
    const reading = jsonCalls(text.slice(start), offered);
    if (reading === undefined) continue;
    const before = text.slice(0, start);
    const after = text.slice(start + reading.end);
    return isAnnounced(before, after)
      ? { calls: reading.calls, rest: `${before.trimEnd()}\n${after.trimStart()}` }
      : undefined;
  }
  return undefined;
}

const ACTION = /^[ \t*]*(?:Action|Tool|Function)(?: name| call)?[ \t*\d]{0,8}:([^\n]*)$/gim;
const INPUT = /\s*[*]*(?:Action[ _])?(?:Input|Arguments|Args|Parameters)[*]*:[*]*[ \t]*/iy;
const INPUT_END = /^[ \t*]*(?:Observation|Thought|Action|Tool|Final Answer)\b[^\n:]{0,12}:/m;

/** `Action:` and `Action Input:` (ReAct, arXiv 2210.03629), up to the first observation, which the model made up. */
export function reactCalls(pieces: readonly Piece[], offered: OfferedTools): Found | undefined {
  const text = pieces.map(({ source }) => source).join("");
  const madeUp = /^[ \t*]*Observation\b/m.exec(text)?.index ?? text.length;
  const lines = pieces.filter(({ kind }) => kind === "text").flatMap(({ source, start }) =>
    [...source.matchAll(ACTION)].map(({ 0: line, 1: written = "", index }) => {
      return { from: start + index, end: start + index + line.length, written };
    })
  );
  const calls: TextCall[] = [];
  let rest: string | undefined;
  for (const { from, end, written } of lines) {
    if (rest !== undefined && from > madeUp) break;
    const call = actionAt(text, end, written, offered);
    if (call === undefined) continue;
    calls.push(call);
    rest ??= text.slice(0, from);
  }
  return rest === undefined || isQuoted(rest) ? undefined : { calls, rest };
}

function actionAt(
  text: string,
  end: number,
  line: string,
  offered: OfferedTools,
): TextCall | undefined {
  const written = line.replaceAll("*", "").trim();
  const name = calledName(written, offered);
  if (name === undefined) return anyForm(written, offered)?.calls[0];
  INPUT.lastIndex = end;
  const from = INPUT.exec(text) === null ? end : INPUT.lastIndex;
  const behind = text.slice(from);
  const input = behind.slice(0, INPUT_END.exec(behind)?.index).trim();
  const value = withoutEnding(input.replace(/^```\w*\s*/, ""), " \t\r\n`");
  const reading = anyForm(`${name}(${value})`, offered) ?? anyForm(`${name}${value}`, offered);
  const { args = "{}" } = reading?.calls[0] ?? {};
  return { name, args: reading === undefined && value !== "" ? value : args };
}
