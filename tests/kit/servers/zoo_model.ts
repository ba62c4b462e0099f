/** What every model of the zoo does alike: counts tokens, reuses a prompt's start, ends at a limit, writes calls as text. */
import type { ChatRequest, ScriptedReply } from "tests/kit/model_scenario.ts";

const CHARS_A_TOKEN = 4;

const tokens = (text: string) => Math.ceil(text.length / CHARS_A_TOKEN);

const promptText = ({ tools, messages }: ChatRequest) => JSON.stringify([tools ?? [], messages]);

export const promptTokens = (chat: ChatRequest): number => tokens(promptText(chat));

const argsOf = (args: unknown) => typeof args === "string" ? args : JSON.stringify(args);

export function replyTokens({ text = "", reasoning = "", calls = [] }: ScriptedReply): number {
  return tokens(text + reasoning + calls.map(({ name, args }) => name + argsOf(args)).join(""));
}

/** Tokens that the prompt has in common with the start of an earlier one; remembers the prompt. */
export function cachedTokens(chat: ChatRequest, earlier: string[]): number {
  const prompt = promptText(chat);
  let most = 0;
  for (const known of earlier) {
    let at = 0;
    while (at < known.length && known[at] === prompt[at]) at++;
    most = Math.max(most, at);
  }
  earlier.push(prompt);
  return Math.floor(most / CHARS_A_TOKEN);
}

/** Ends a reply after `limit` tokens, as every server does, with "length" as its finish reason. */
export function cutAt(reply: ScriptedReply, limit = Infinity): ScriptedReply {
  if (replyTokens(reply) <= limit) return reply;
  let left = limit * CHARS_A_TOKEN;
  const cut = (text = "") => {
    const kept = text.slice(0, Math.max(0, left));
    left -= text.length;
    return kept;
  };
  const reasoning = cut(reply.reasoning);
  const text = cut(reply.text);
  const calls = (reply.calls ?? []).flatMap((call) => {
    if (left <= call.name.length) return [];
    left -= call.name.length;
    return [{ ...call, args: cut(argsOf(call.args)) }];
  });
  return { ...reply, reasoning, text, calls, finish: "length" };
}

/** Calls in the form that svc teaches where a server takes no tools (`text_tools.ts`). */
export function inText(reply: ScriptedReply): ScriptedReply {
  const { calls = [], text = "", ...rest } = reply;
  if (calls.length === 0) return reply;
  const lines = calls.map(({ name, args }) =>
    `<tool_call>{"name": ${JSON.stringify(name)}, "arguments": ${argsOf(args)}}</tool_call>`
  );
  return { ...rest, text: [text, ...lines].filter((line) => line !== "").join("\n") };
}
