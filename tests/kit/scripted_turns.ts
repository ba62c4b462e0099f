/** Short words for what a scripted role says. */
import type { ChatRequest, ScriptedReply, Step } from "./model_scenario.ts";

export type Reply = ScriptedReply | ((request: ChatRequest) => ScriptedReply);

/** Assistant messages that a reply becomes: svc sends calls made side by side back one by one. */
export const messagesOf = (reply: Reply): number =>
  typeof reply === "function" ? 1 : Math.max(1, reply.calls?.length ?? 0);

/** One reply a turn, as often as the role is run. */
export function turns(...replies: readonly Reply[]): Step[] {
  let turn = 0;
  return replies.map((reply) => {
    const step = { when: { turn }, always: true, reply };
    turn += messagesOf(reply);
    return step;
  });
}

export const call = (name: string, args: unknown): ScriptedReply => ({ calls: [{ name, args }] });

/** All that was said so far. */
export const said = ({ messages }: ChatRequest): string =>
  messages.map(({ content }) => content).join("\n");
