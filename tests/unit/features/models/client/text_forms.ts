/** The forms in which models write calls, each as a function that writes given calls so; shared by tests. */

export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export const READ: Call = { name: "file_read", args: { path: "src/größe 1.ts", limit: 20 } };
export const WRITE: Call = {
  name: "file_write",
  args: {
    path: "a.md",
    content: 'She said "no":\n\n```ts\nlet a = {"b": [1, \'x\']}; // \\n\n```\nend',
  },
};
export const FINISH: Call = {
  name: "finish",
  args: { disposition: "approved", evidence: 'it\'s 3 < 4, "ok" (all)' },
};

export const json = JSON.stringify;
const pretty = (value: unknown) => JSON.stringify(value, null, 2);
const python = (value: unknown): string =>
  typeof value === "string"
    ? `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`
    : value === true
    ? "True"
    : json(value);
const keywords = ({ args }: Call, sign: string, quote = python) =>
  Object.entries(args).map(([key, value]) => `${key}${sign}${quote(value)}`).join(", ");
const text = (value: unknown) => typeof value === "string" ? value : json(value);
const each =
  (write: (call: Call, at: number) => string, between = "\n") => (calls: readonly Call[]) =>
    calls.map(write).join(between);
const list = (key: string, nameKey = "name") => (calls: readonly Call[]) =>
  json(calls.map(({ name, args }) => ({ [nameKey]: name, [key]: args })));
const gemma = (value: unknown): string =>
  typeof value === "string" ? `<|"|>${value}<|"|>` : json(value);

export interface Form {
  readonly write: (calls: readonly Call[]) => string;
  /** Only at the end of a reply, or at its start: elsewhere nothing tells it from what it quotes. */
  readonly plain?: true;
  /** Cannot hold several calls. */
  readonly single?: true;
  readonly fence?: true;
  readonly tail?: string;
}

export const FORMS: Readonly<Record<string, Form>> = {
  "Hermes, Qwen": {
    write: each(({ name, args }) =>
      `<tool_call>\n${json({ name, arguments: args })}\n</tool_call>`
    ),
    tail: "<|im_end|>",
  },
  "Qwen3-Coder": {
    write: each(({ name, args }) => {
      const fields = Object.entries(args).map(([key, value]) =>
        `<parameter=${key}>\n${text(value)}\n</parameter>\n`
      );
      return `<tool_call>\n<function=${name}>\n${fields.join("")}</function>\n</tool_call>`;
    }),
  },
  "Qwen3-Coder that forgets the first tag": {
    write: each(({ name, args }) => {
      const fields = Object.entries(args).map(([key, value]) =>
        `<parameter=${key}>\n${text(value)}\n</parameter>\n`
      );
      return `<function=${name}>\n${fields.join("")}</function>\n</tool_call>`;
    }),
  },
  "Llama 3 with its mark": {
    write: (calls) =>
      `<|python_tag|>${calls.map(({ name, args }) => json({ name, parameters: args })).join("; ")}`,
    tail: "<|eom_id|>",
  },
  "Llama 3 in bare JSON": {
    write: each(({ name, args }) => json({ name, parameters: args })),
    plain: true,
    tail: "<|eot_id|>",
  },
  "Llama 4 and ToolACE, a list in Python": {
    write: (calls) => `[${calls.map((call) => `${call.name}(${keywords(call, "=")})`).join(", ")}]`,
    plain: true,
  },
  "Llama 4 between its marks": {
    write: (calls) =>
      `<|python_start|>[${
        calls.map((call) => `${call.name}(${keywords(call, "=")})`).join(", ")
      }]<|python_end|>`,
    tail: "<|eot|>",
  },
  "Mistral": { write: (calls) => `[TOOL_CALLS] ${list("arguments")(calls)}`, tail: "</s>" },
  "Devstral, Mistral Small 3.2": {
    write: each(({ name, args }) => `[TOOL_CALLS]${name}[ARGS]${json(args)}`, ""),
    tail: "</s>",
  },
  "Mistral Small 3.2 with ids": {
    write: each(
      ({ name, args }, at) => `[TOOL_CALLS]${name}[CALL_ID]a1B2c3D4${at}[ARGS]${json(args)}`,
      "",
    ),
  },
  "GLM 4.5": {
    write: each(({ name, args }) => {
      const fields = Object.entries(args).map(([key, value]) =>
        `<arg_key>${key}</arg_key>\n<arg_value>${text(value)}</arg_value>\n`
      );
      return `<tool_call>${name}\n${fields.join("")}</tool_call>`;
    }),
    tail: "<|observation|>",
  },
  "GLM 4.7, without line breaks": {
    write: each(({ name, args }) => {
      const fields = Object.entries(args).map(([key, value]) =>
        `<arg_key>${key}</arg_key><arg_value>${text(value)}</arg_value>`
      );
      return `<tool_call>${name}${fields.join("")}</tool_call>`;
    }, ""),
  },
  "DeepSeek V3 and R1": {
    write: (calls) => {
      const one = each(({ name, args }) =>
        `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${
          json(args)
        }\n\`\`\`<｜tool▁call▁end｜>`
      );
      return `<｜tool▁calls▁begin｜>${one(calls)}<｜tool▁calls▁end｜>`;
    },
    tail: "<｜end▁of▁sentence｜>",
  },
  "DeepSeek V3.1": {
    write: (calls) => {
      const one = each(
        ({ name, args }) =>
          `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${json(args)}<｜tool▁call▁end｜>`,
        "",
      );
      return `<｜tool▁calls▁begin｜>${one(calls)}<｜tool▁calls▁end｜>`;
    },
  },
  "DeepSeek V3.2": {
    write: (calls) => {
      const one = each(({ name, args }) => {
        const fields = Object.entries(args).map(([key, value]) =>
          `<｜DSML｜parameter name="${key}" string="${typeof value === "string"}">${
            text(value)
          }</｜DSML｜parameter>\n`
        );
        return `<｜DSML｜invoke name="${name}">\n${fields.join("")}</｜DSML｜invoke>`;
      });
      return `<｜DSML｜function_calls>\n${one(calls)}\n</｜DSML｜function_calls>`;
    },
  },
  "Kimi K2": {
    write: (calls) => {
      const one = each(
        ({ name, args }, at) =>
          `<|tool_call_begin|>functions.${name}:${at}<|tool_call_argument_begin|>${
            json(args)
          }<|tool_call_end|>`,
        "",
      );
      return `<|tool_calls_section_begin|>${one(calls)}<|tool_calls_section_end|>`;
    },
    tail: "<|im_end|>",
  },
  "MiniMax M2": {
    write: (calls) => {
      const one = each(({ name, args }) => {
        const fields = Object.entries(args).map(([key, value]) =>
          `<parameter name="${key}">${text(value)}</parameter>\n`
        );
        return `<invoke name="${name}">\n${fields.join("")}</invoke>`;
      });
      return `<minimax:tool_call>\n${one(calls)}\n</minimax:tool_call>`;
    },
    tail: "[e~[",
  },
  "Claude's older form": {
    write: (calls) => {
      const one = each(({ name, args }) => {
        const fields = Object.entries(args).map(([key, value]) =>
          `<parameter name="${key}">${text(value)}</parameter>\n`
        );
        return `<invoke name="${name}">\n${fields.join("")}</invoke>`;
      });
      return `<function_calls>\n${one(calls)}\n</function_calls>`;
    },
  },
  "the tool's name as a tag": {
    write: each(({ name, args }) => {
      const fields = Object.entries(args).map(([key, value]) =>
        `<${key}>${text(value)}</${key}>\n`
      );
      return `<${name}>\n${fields.join("")}</${name}>`;
    }),
  },
  "Olmo 3": {
    write: (calls) =>
      `<function_calls>\n${
        each((call) => `${call.name}(${keywords(call, "=")})`)(calls)
      }\n</function_calls>`,
  },
  "Gemma 4": {
    write: each(
      (call) => `<|tool_call>call:${call.name}{${keywords(call, ":", gemma)}}<tool_call|>`,
      "",
    ),
    tail: "<turn|>",
  },
  "Gemma's tool_code": {
    write: (calls) =>
      "```tool_code\n" + each((call) => `${call.name}(${keywords(call, "=")})`)(calls) + "\n```",
    fence: true,
  },
  "Gemini's tool_code": {
    write: (calls) =>
      "```tool_code\n" + each((call) =>
        `print(default_api.${call.name}(${keywords(call, "=")}))`
      )(calls) + "\n```",
    fence: true,
  },
  "Granite 3": {
    write: (calls) => `<|tool_call|>${list("arguments")(calls)}`,
    tail: "<|end_of_text|>",
  },
  "Granite 4, a list": {
    write: (calls) => `<tool_call>\n${list("arguments")(calls)}\n</tool_call>`,
  },
  "Phi-4-mini": {
    write: (calls) => `<|tool_call|>${list("arguments")(calls)}<|/tool_call|>`,
    tail: "<|end|>",
  },
  "Command-R": {
    write: (calls) =>
      "Action:\n```json\n" +
      pretty(calls.map(({ name, args }) => ({ tool_name: name, parameters: args }))) + "\n```",
    fence: true,
  },
  "Command-R7B": {
    write: (calls) => `<|START_ACTION|>${list("parameters", "tool_name")(calls)}<|END_ACTION|>`,
    tail: "<|END_OF_TURN_TOKEN|>",
  },
  "LFM2": {
    write: (calls) =>
      `<|tool_call_start|>[${
        calls.map((call) => `${call.name}(${keywords(call, "=")})`).join(", ")
      }]<|tool_call_end|>`,
  },
  "Seed": {
    write: each(({ name, args }) => {
      const fields = Object.entries(args).map(([key, value]) =>
        `<parameter=${key}>${text(value)}</parameter>\n`
      );
      return `<seed:tool_call>\n<function=${name}>\n${
        fields.join("")
      }</function>\n</seed:tool_call>`;
    }),
  },
  "Functionary": { write: each(({ name, args }) => `>>>${name}\n${json(args)}`) },
  "Firefunction": { write: (calls) => `functools${list("arguments")(calls)}` },
  "LM Studio": {
    write: each(({ name, args }) =>
      `[TOOL_REQUEST]${json({ name, arguments: args })}[END_TOOL_REQUEST]`
    ),
  },
  "Qwen2.5-Coder": {
    write: each(({ name, args }) => `<tools>\n${json({ name, arguments: args })}\n</tools>`),
  },
  "fenced JSON": {
    write: each(({ name, args }) => "```json\n" + pretty({ name, arguments: args }) + "\n```"),
    fence: true,
  },
  "bare JSON over lines": {
    write: each(({ name, args }) => pretty({ name, arguments: args })),
    plain: true,
  },
  "JSON as Python prints it": {
    write: (calls) =>
      `[${
        calls.map((call) =>
          `{'name': '${call.name}', 'arguments': {${
            Object.entries(call.args).map(([key, value]) => `'${key}': ${python(value)}`).join(", ")
          }}}`
        ).join(", ")
      }]`,
    plain: true,
  },
  "LangChain's JSON": {
    write: each(({ name, args }) => json({ action: name, action_input: args })),
    plain: true,
  },
  "parallel calls of OpenAI": {
    write: (calls) =>
      json({
        tool_uses: calls.map(({ name, args }) => ({
          recipient_name: `functions.${name}`,
          parameters: args,
        })),
      }),
    plain: true,
  },
  "the name as the key": { write: each(({ name, args }) => json({ [name]: args })), plain: true },
  "name({…})": { write: each(({ name, args }) => `${name}(${json(args)})`), plain: true },
  'name(key: "value")': {
    write: each((call) => `${call.name}(${keywords(call, ": ", json)})`),
    plain: true,
  },
  'name(key="value")': {
    write: each((call) => `${call.name}(${keywords(call, "=", json)})`),
    plain: true,
  },
  "names in backticks": {
    write: each((call) => `\`${call.name}(${keywords(call, ": ", json)})\``),
    plain: true,
    single: true,
  },
  "ReAct": {
    write: each(({ name, args }) => `Action: ${name}\nAction Input: ${json(args)}`),
    plain: true,
    tail: "\nObservation: it worked\nThought: I am done.\nFinal Answer: done",
  },
  "ReAct in bold, with a fence": {
    write: each(({ name, args }) =>
      `**Action:** \`${name}\`\n**Action Input:**\n\`\`\`json\n${json(args)}\n\`\`\``
    ),
    plain: true,
    single: true,
  },
};
