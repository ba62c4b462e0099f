/** What clouds that speak OpenAI chat completions have in common, and how each may write its stream differently. */
import { isProbe } from "tests/kit/model_endpoint.ts";
import { readChat, sse } from "./chat_style.ts";
import type { Asked, Rule, Said, ZooProtocol, ZooServer } from "./zoo.ts";

// deno-lint-ignore no-explicit-any -- a chunk of a stream, which each vendor shapes in its own way
export type Chunk = any;

/** The key as `Authorization: Bearer`; `refuse` gets the key that came, or undefined where none did. */
export function bearer(key: string, refuse: (sent: string | undefined) => Response): Rule {
  return ({ headers }) => {
    const sent = /^Bearer (.*)$/.exec(headers.get("authorization") ?? "")?.[1];
    return sent === key ? undefined : refuse(sent);
  };
}

const EVENT = /^data: (\{.*\})\n\n$/s;

/** A stream whose chunks `change` rewrites; texts that it returns, such as comments, go out with the next chunk. */
export function reshaped(
  protocol: ZooProtocol,
  change: (chunks: readonly Chunk[], said: Said, asked: Asked) => readonly (Chunk | string)[],
): ZooProtocol {
  return {
    ...protocol,
    stream(asked, said) {
      const events = protocol.stream(asked, said);
      const chunks = events.flatMap((event) => {
        const json = EVENT.exec(event)?.[1];
        return json === undefined ? [] : [JSON.parse(json)];
      });
      let before = "";
      const changed = change(chunks, said, asked).flatMap((one) => {
        const event = before + (typeof one === "string" ? one : sse(one));
        before = typeof one === "string" ? event : "";
        return before === "" ? [event] : [];
      });
      return [...changed, ...events.filter((event) => !EVENT.test(event))];
    },
  };
}

/** A model that thinks before each reply, whether the scenario has it or not. */
export function alwaysThinking(protocol: ZooProtocol): ZooProtocol {
  const thinking = ({ reply, ...said }: Said): Said => ({
    ...said,
    reply: { reasoning: "I think about it.", ...reply },
  });
  return {
    ...protocol,
    stream: (asked, said) => protocol.stream(asked, thinking(said)),
    whole: (asked, said) => protocol.whole(asked, thinking(said)),
  };
}

/**
 * A server that once answers the nth request of a run (from 1, the probe not counted) with `answers[n]` before
 * it takes the same request again.
 */
export function troubled(
  server: ZooServer,
  answers: Readonly<Record<number, () => Response>>,
): ZooServer {
  const open = new Map(Object.entries(answers));
  const trouble: Rule = (asked) => {
    const refused = server.gate?.(asked);
    if (refused !== undefined) return refused;
    if (asked.method !== "POST" || isProbe(readChat(asked))) return;
    const turn = String(asked.said.length + 1);
    const answer = open.get(turn);
    open.delete(turn);
    return answer?.();
  };
  return { ...server, gate: trouble };
}
