/** A played model with the chat template of Qwen 2.5 Coder as it was published, and its form of tool calls. */
import { ollamaModels } from "tests/kit/chat_templates.ts";
import type { Conversation, ScriptedReply } from "tests/kit/model_scenario.ts";
import { type Played, type PlayedTurn, type Scene, writePlayedModel } from "./played_model.ts";

const MODEL = "library/qwen2.5-coder:1.5b";

const callText = ({ name, args }: { readonly name: string; readonly args: unknown }) =>
  `\n<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;

/** @param steps those with fixed replies */
export function scene(name: string, cue: string, steps: Conversation): Scene {
  const turn = ({ text = "", calls = [] }: ScriptedReply, at: number): PlayedTurn => ({
    mark: `(${name} ${at + 1})`,
    text: ` Step ${at + 1}. ${text}${calls.map(callText).join("")}`,
  });
  return { cue, turns: steps.map(({ reply }) => reply as ScriptedReply).map(turn) };
}

/** svc's question whether tools are called natively (`features/models/local/preflight.ts`). */
const PROBE = scene("probe", "svc_probe", [
  { reply: { calls: [{ name: "svc_probe", args: { word: "kiwi" } }] } },
]);

/** By the role that the system prompt names. */
export const roleScenes = (roles: Readonly<Record<string, Conversation>>): Scene[] =>
  Object.entries(roles).map(([role, steps]) => scene(role, `# Role: ${role}`, steps));

export async function writeQwen(
  path: string,
  scenes: readonly Scene[],
  more: Partial<Played> = {},
): Promise<void> {
  const { gguf } = (await ollamaModels()).find(({ model }) => model === MODEL)!;
  await writePlayedModel(path, {
    scenes: [...scenes, PROBE],
    template: gguf,
    control: ["<|im_start|>", "<|im_end|>", "<|endoftext|>"],
    end: "<|im_end|>",
    words: ["<tool_call>", "</tool_call>"],
    ...more,
  });
}
