/** The marks that models put around their calls, and servers leave in the text where they parse another form. */
import type { OfferedTools, ReadCalls } from "./call.ts";
import { brokenCode, codeCalls, namedJson } from "./call_form.ts";
import { brokenCall, jsonCalls } from "./json_form.ts";
import { CALL_TAG, CALL_TAG_END, functionTags, keyedTags, nameTags, toolTag } from "./tag_form.ts";

export interface MarkFormat {
  /** A regular expression without groups. */
  readonly opening: string;
  /** Left out where the next opening, or the end of the call, is the end. */
  readonly closing?: string;
  /** The opening is part of what `read` reads. */
  readonly whole?: boolean;
  readonly read: ReadCalls;
}

const BY_START: readonly (readonly [start: RegExp, readers: readonly ReadCalls[]])[] = [
  [/^[[{]/, [jsonCalls, codeCalls, brokenCall]],
  [/^</, [functionTags, toolTag, nameTags]],
  [/^/, [namedJson, codeCalls, keyedTags, brokenCode]],
];

/** Any form: models put JSON between the marks of other forms, and code between those of JSON. */
export const anyForm: ReadCalls = (text, offered) => {
  // Some fence what stands between the marks too.
  const body = text.trimStart().replace(/^```(?:json|xml|python)?\s+/, "");
  const [, readers] = BY_START.find(([start]) => start.test(body))!;
  for (const read of readers) {
    const found = read(body, offered);
    if (found !== undefined) return { ...found, end: found.end + text.length - body.length };
  }
  return undefined;
};

const between = (opening: string, closing?: string): MarkFormat => ({
  opening: RegExp.escape(opening),
  ...(closing !== undefined && { closing: RegExp.escape(closing) }),
  read: anyForm,
});

/** A tag around calls, without those of a list of definitions. */
const tag = (name: string) => between(`<${name}>`, `</${name}>`);

/** Sources: parsers in vLLM (vllm/entrypoints/openai/tool_parsers) and SGLang (srt/function_call), templates in llama.cpp (models/templates). */
const MARKS: readonly MarkFormat[] = [
  tag("tool_call"), // Hermes, Qwen, Granite 4, GLM 4.5: hermes_tool_parser.py, glm4_moe_tool_parser.py
  tag("tool_calls"), // Jamba, Hunyuan, Apriel: jamba_tool_parser.py, hunyuan_a13b_tool_parser.py
  tag("toolcall"), // Nemotron-Mini: ollama.com/library/nemotron-mini
  tag("TOOLCALL"), // Nemotron Nano v2: NVIDIA-Nemotron-Nano-v2.jinja
  tag("tool_use"), // Cherry Studio's prompt
  tag("tools"), // Qwen2.5-Coder: vLLM issue 32926
  tag("function_call"),
  tag("function_calls"), // Claude, Olmo 3: olmo3_tool_parser.py
  tag("tool_code"), // Gemini and Gemma without their fence
  tag("minimax:tool_call"), // minimax_m2_tool_parser.py
  tag("seed:tool_call"), // seed_oss_tool_parser.py
  tag("longcat_tool_call"), // longcat_tool_parser.py
  tag("｜DSML｜function_calls"), // DeepSeek V3.2: deepseekv32_detector.py
  tag("｜DSML｜tool_calls"), // DeepSeek V4: deepseekv4_detector.py
  between("[TOOL_CALLS]"), // Mistral, Devstral: mistral_tool_parser.py
  between("✿FUNCTION✿:"), // Qwen-Agent: qwen_agent/llm/fncall_prompts/qwen_fncall_prompt.py
  between("[TOOL_REQUEST]", "[END_TOOL_REQUEST]"), // LM Studio's default form: lmstudio-bug-tracker issue 825
  between("[tool_call]", "[/tool_call]"), // a template of QwenLM/Qwen3-Coder issue 180
  between("<|python_tag|>"), // Llama 3: llama_tool_parser.py
  between("<|python_start|>", "<|python_end|>"), // Llama 4: llama4_pythonic_tool_parser.py
  between("<|tool_call|>", "<|/tool_call|>"), // Granite 3, Phi-4-mini: granite_tool_parser.py, phi4mini_tool_parser.py
  between("<|tool_call>", "<tool_call|>"), // Gemma 4: gemma4_detector.py
  between("<|START_ACTION|>", "<|END_ACTION|>"), // Command-R7B and -A: command_tool_parser.py
  between("<|tool_call_start|>", "<|tool_call_end|>"), // LFM2: lfm2_detector.py
  between("<|action_start|><|plugin|>", "<|action_end|>"), // InternLM 2: internlm2_tool_parser.py
  between("<|tools_prefix|>", "<|tools_suffix|>"), // Apertus: apertus_tool_parser.py
  // Kimi K2: kimi_k2_tool_parser.py; a section without the inner marks is read too.
  {
    opening: "<\\|tool_calls?(?:_section)?_begin\\|>",
    closing: "<\\|tool_calls?(?:_section)?_end\\|>",
    read: anyForm,
  },
  // DeepSeek V3, R1, V3.1: deepseekv31_tool_parser.py; small distills write other spaces (llama.cpp's common/chat.cpp).
  {
    opening: "<｜tool[▁_ ]calls?[▁_ ]begin｜>",
    closing: "<｜tool[▁_ ]calls?[▁_ ]end｜>",
    read: anyForm,
  },
  { opening: "functools(?=\\[)", read: anyForm }, // Firefunction 2: ollama.com/library/firefunction-v2
  { opening: CALL_TAG, closing: CALL_TAG_END, whole: true, read: functionTags }, // qwen3coder_tool_parser.py
];

/** With the tools' own names as tags, and as the line with which Functionary 3 begins (its prompt template v3). */
export function markFormats(offered: OfferedTools): readonly MarkFormat[] {
  const names = [...offered.keys()].map((name) => RegExp.escape(name)).join("|");
  if (names === "") return MARKS;
  return [
    ...MARKS,
    {
      opening: `<(?:${names})(?:\\s+[\\w-]+="[^"<>]*")*\\s*>`,
      closing: `</(?:${names})>`,
      whole: true,
      read: toolTag,
    },
    { opening: `<(?:${names})(?:\\s+[\\w-]+="[^"<>]*")*\\s*/>`, whole: true, read: toolTag },
    { opening: `>>>(?=(?:${names})\\r?\\n)`, read: namedJson },
  ];
}

/** Lines of nothing but the tags around calls, left over where the calls themselves were taken out. */
export const LEFT_TAGS =
  /^[ \t]*(?:<\/?(?:tool_calls?|function_calls?|tools|function|invoke|(?:minimax|seed):tool_call|｜DSML｜(?:function|tool)_calls)>[ \t]*)+\r?$/gm;

/** `<|im_end|>`, `<tool_call|>`, `<｜end▁of▁sentence｜>`. */
export const SPECIAL_TOKENS = "<\\|/?[\\w:]{1,40}\\|?>|</?[\\w:]{1,40}\\|>|<｜[^\\s<>｜]{1,40}｜>";
