/** Probes of a long prompt: three facts at its beginning, middle and end, at each size up to the window. */
import { AGENT_REPLY_TOKENS } from "svc/core/bounds.ts";
import { TokenScale, totalChars } from "svc/features/agent/conversation.ts";
import { check, type ModelProbe } from "./probe.ts";

/** Tokens of the smallest prompt. */
const RECALL_FROM = 4_096;

/** Tokens of a reply; a model that reasons first writes some hundred. */
const RECALL_REPLY_TOKENS = 2_048;

/** Tokens that a chat template adds. */
const TEMPLATE_TOKENS = 128;

/** Share of a size that the prompt fills: before the server has counted one, and afterwards. */
const FILLS_UNCOUNTED = 0.7;
const FILLS = 0.9;

/** A size closer to the window than this is the window's own. */
const NEAR_WINDOW = 0.75;

/** Share of the expected tokens that a server counts at least if it has read the whole prompt. */
const READ_AT_LEAST = 0.85;

/** Where in the prompt the facts stand. */
const DEPTHS = [0.05, 0.5, 0.95] as const;

/** Tokens: 4k, 8k, 16k, … and the window itself. */
export function recallSizes(window: number): number[] {
  const sizes: number[] = [];
  for (let size = RECALL_FROM; size < window * NEAR_WINDOW; size *= 2) sizes.push(size);
  return [...sizes, window];
}

const WORDS = ["amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "heron", "iris"];

/** Different for each size and place, so that no answer is one from before. */
function codes(size: number): string[] {
  const word = (at: number) => WORDS[(Math.floor(size / 64) + at * 4) % WORDS.length];
  return DEPTHS.map((_, at) => `${word(at)}-${size % 89 + at * 7 + 10}`);
}

/** A ledger in which each line is like the next. */
function ledger(chars: number, facts: readonly string[]): string {
  const lines: string[] = [];
  let length = 0;
  const add = (line: string) => {
    lines.push(line);
    length += line.length + 1;
  };
  for (let entry = 1, told = 0; length < chars; entry++) {
    if (told < facts.length && length >= chars * DEPTHS[told]!) add(facts[told++]!);
    const shelf = `${String.fromCharCode(65 + entry % 26)}${entry * 37 % 90 + 10}`;
    add(`Entry ${entry}: shelf ${shelf} holds ${entry * 53 % 97 + 3} boxes of plain paper.`);
  }
  return lines.join("\n");
}

const named = (size: number) => size < 1_024 ? String(size) : `${Math.round(size / 1_024)}k`;

/** What the server has counted of the prompts before; the same for all sizes. */
interface Counted {
  readonly scale: TokenScale;
  any: boolean;
}

function recallAt(size: number, counted: Counted): ModelProbe {
  return {
    id: `recall_${named(size)}`,
    group: "recall",
    about: `finds three facts in a prompt of ${size} tokens`,
    tokens: size,
    async run(room) {
      const fills = Math.floor(size * (counted.any ? FILLS : FILLS_UNCOUNTED));
      const left = size - fills - TEMPLATE_TOKENS;
      const reply = Math.max(AGENT_REPLY_TOKENS, Math.min(RECALL_REPLY_TOKENS, left));
      const chars = counted.scale.chars(Math.min(fills, size - reply - TEMPLATE_TOKENS));
      const wanted = codes(size);
      const facts = wanted.map((code, at) => `Note: the code word of vault ${at + 1} is ${code}.`);
      const messages = [
        { role: "system", text: "You answer from the ledger alone." },
        {
          role: "user",
          text: `${ledger(chars, facts)}\n\nWhich are the code words of vaults 1, 2 and 3? ` +
            "Answer with the three code words alone.",
        },
      ] as const;
      const answered = await room.ask({ messages, tools: [], maxTokens: reply });
      const { text, usage, truncatedPrompt } = answered.reply;
      // What the counts of shorter prompts predict; a much lower count means that a part was not read.
      const expected = counted.any ? counted.scale.tokens(totalChars(messages)) : 0;
      const whole = !truncatedPrompt &&
        (usage.estimated || usage.tokensIn >= expected * READ_AT_LEAST);
      if (whole && !usage.estimated) {
        counted.scale.learn(totalChars(messages), usage);
        counted.any = true;
      }
      const place = ["beginning", "middle", "end"];
      return {
        checks: [
          ...wanted.map((code, at) =>
            check(`finds the fact at the ${place[at]}`, text.includes(code), { seen: text })
          ),
          check("the server reads the whole prompt", whole, {
            points: 2,
            seen: `${usage.tokensIn} tokens`,
          }),
        ],
      };
    },
  };
}

export function recallProbes(window: number): ModelProbe[] {
  const counted: Counted = { scale: new TokenScale(), any: false };
  return recallSizes(window).map((size) => recallAt(size, counted));
}
