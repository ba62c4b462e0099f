/**
 * gpt-oss's own form, harmony: messages on channels, where a call is a message to a recipient
 * (github.com/openai/harmony, docs/format.md). Reasoning (`analysis`) is never searched for calls.
 */
import { calledName, type OfferedTools, type TextCall } from "./call.ts";

export interface HarmonyReply {
  readonly reasoning: string;
  readonly calls: readonly TextCall[];
  readonly text: string;
}

/** The recipient stands before or behind the channel's name; start token and channel may be missing (vLLM PR 35906). */
const HEADER = /(?:<\|channel\|>([^<>\n]{0,120}))?(?:<\|constrain\|>[^<>\n]{0,60})?<\|message\|>/g;
const START = "<|start|>";
const MESSAGE_END = /<\|(?:end|call|return)\|>|(?=<\|(?:start|channel)\|>)/g;
const RECIPIENT = /\bto=([\w.:-]+)/;

/** What a server leaves that strips the special tokens: "analysis…assistantcommentary to=functions.x json{…}assistantfinal…". */
const STRIPPED = /^(?:analysis(?=\S)|(?:commentary|analysis) to=functions\.)/;
const STRIPPED_HEADER =
  /(?:^|assistant)(analysis|commentary|final)((?: to=[\w.:-]+)?)(?: ?(?:code|json)(?=\s*\{))?/g;

interface Message {
  readonly channel: string;
  readonly recipient: string | undefined;
  readonly content: string;
}

/** Words outside of messages are text: models say them when they forget the channel. */
function messagesIn(text: string): Message[] {
  const messages: Message[] = [];
  const words = (content: string) => {
    messages.push({ channel: "", recipient: undefined, content: content.trim() });
  };
  let at = 0;
  for (const { 0: header, 1: channel = "", index } of text.matchAll(HEADER)) {
    if (index < at) continue;
    const gap = text.slice(at, index);
    const start = gap.lastIndexOf(START);
    const role = start === -1
      ? /(?:assistant)?\s{0,4}to=[\w.:-]{1,100}\s{0,4}$/.exec(gap.slice(-160))?.[0] ?? ""
      : gap.slice(start);
    words(gap.slice(0, gap.length - role.length));
    const from = index + header.length;
    MESSAGE_END.lastIndex = from;
    const end = MESSAGE_END.exec(text);
    messages.push({
      channel: /\w+/.exec(channel)?.[0] ?? "",
      recipient: RECIPIENT.exec(`${role} ${channel}`)?.[1],
      content: text.slice(from, end?.index).trim(),
    });
    at = end === null ? text.length : end.index + end[0].length;
  }
  words(text.slice(at));
  return messages;
}

function strippedMessages(text: string): Message[] {
  const headers = [...text.matchAll(STRIPPED_HEADER)];
  return headers.map(({ 0: header, 1: channel = "", 2: to = "", index }, at) => ({
    channel,
    recipient: RECIPIENT.exec(to)?.[1],
    content: text.slice(index + header.length, headers[at + 1]?.index).trim(),
  }));
}

function isInCode(text: string, at: number): boolean {
  const before = text.slice(0, at);
  const fences = before.match(/^[ \t]*(?:```|~~~)/gm)?.length ?? 0;
  const ticks = before.slice(before.lastIndexOf("\n") + 1).split("`").length - 1;
  return fences % 2 === 1 || ticks % 2 === 1;
}

function messagesOf(text: string): readonly Message[] {
  if (STRIPPED.test(text) && /assistant(?:final|commentary)| to=functions\./.test(text)) {
    return strippedMessages(text);
  }
  const first = text.indexOf("<|message|>");
  if (first === -1 || isInCode(text, first)) return [];
  const messages = messagesIn(text);
  return messages.some(({ channel, recipient }) => channel !== "" || recipient !== undefined)
    ? messages
    : [];
}

/** Undefined where the text is in no such form. */
export function harmonyReply(text: string, offered: OfferedTools): HarmonyReply | undefined {
  const messages = messagesOf(text);
  if (messages.length === 0) return undefined;
  const calls: TextCall[] = [];
  const reasoning: string[] = [];
  const said: string[] = [];
  for (const { channel, recipient, content } of messages) {
    const name = calledName(recipient, offered);
    if (name !== undefined) calls.push({ name, args: content || "{}" });
    else if (channel === "analysis") reasoning.push(content);
    else said.push(content);
  }
  const join = (parts: readonly string[]) => parts.filter((part) => part !== "").join("\n\n");
  return { reasoning: join(reasoning), calls, text: join(said) };
}
