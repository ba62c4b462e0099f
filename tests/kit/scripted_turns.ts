/** Short words for what a scripted role says. */
import type { ChatRequest, ScriptedReply, Step } from "./model_scenario.ts";

export type Reply = ScriptedReply | ((request: ChatRequest) => ScriptedReply);

/** One reply a turn, as often as the role is run. */
export function turns(...replies: readonly Reply[]): Step[] {
  return replies.map((reply, turn) => ({ when: { turn }, always: true, reply }));
}

export const call = (name: string, args: unknown): ScriptedReply => ({ calls: [{ name, args }] });

/** All that was said so far. */
export const said = ({ messages }: ChatRequest): string =>
  messages.map(({ content }) => content).join("\n");
