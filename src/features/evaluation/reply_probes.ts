/** Probes of one reply: the shape of a call, its arguments, an answer without a call, and how fast it comes. */
import { fenced } from "svc/core/data_block.ts";
import type { ModelReply } from "svc/features/models/client/model.ts";
import { asSent, definitionOf } from "svc/features/tools/definitions.ts";
import { fileWrite } from "svc/features/tools/file_write.ts";
import { check, type ModelProbe, type ProbeCheck } from "./probe.ts";

/** Tokens of a reply; a model that reasons first writes some hundred. */
const REPLY_TOKENS = 2_048;

/** A model that writes fewer keeps a role waiting for minutes at each edit. */
const SLOW_TOKENS_PER_SECOND = 5;
const BRISK_TOKENS_PER_SECOND = 20;

/** Ms until the first words of a short reply. */
const LATE_MS = 15_000;
const PROMPT_MS = 5_000;

const BOOKING = {
  type: "function",
  function: {
    name: "book_room",
    description: "Books a room of the guest house",
    parameters: {
      type: "object",
      properties: {
        room: { type: "string" },
        nights: { type: "integer" },
        breakfast: { type: "boolean" },
        guests: { type: "array", items: { type: "string" }, description: "Names" },
      },
      required: ["room", "nights", "breakfast", "guests"],
    },
  },
} as const;

const WANTED = { room: "Linden", nights: 3, breakfast: true, guests: ["Ada", "Grace"] };

const asks = (user: string) =>
  [
    { role: "system", text: "You are an agent that works through tools." },
    { role: "user", text: user },
  ] as const;

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the probe says so
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** What every probe of a call looks at first. */
function callChecks({ calls, text }: ModelReply, name: string): ProbeCheck[] {
  const [first] = calls;
  const parsed = first && json(first.args);
  return [
    check(`calls ${name}`, first?.name === name, {
      points: 2,
      seen: first === undefined ? text || "no call" : first.name,
    }),
    check("calls once", calls.length === 1, { seen: `${calls.length} calls` }),
    check("writes its arguments as valid JSON", typeof parsed === "object" && parsed !== null, {
      points: 2,
      seen: first?.args,
    }),
  ];
}

const toolCall: ModelProbe = {
  id: "tool_call",
  group: "tool_call",
  about: "calls the one tool that fits, once, with values of the right types",
  tokens: 400,
  async run(room) {
    const { reply } = await room.ask({
      messages: asks("Book the room Linden for three nights for Ada and Grace, with breakfast."),
      tools: [BOOKING],
      maxTokens: REPLY_TOKENS,
    });
    const given = fieldsOf(json(reply.calls[0]?.args ?? ""));
    const same = (key: keyof typeof WANTED) =>
      JSON.stringify(given[key]) === JSON.stringify(WANTED[key]);
    const wrong = Object.keys(WANTED).filter((key) => !same(key as keyof typeof WANTED));
    return {
      checks: [
        ...callChecks(reply, BOOKING.function.name),
        check("gives each value in its type", wrong.length === 0, {
          points: 2,
          seen: wrong.map((key) => `${key}: ${JSON.stringify(given[key])}`).join(", "),
        }),
      ],
    };
  },
};

/** What breaks where a model or its server escapes by hand. */
const AWKWARD = [
  `say "it's here"`,
  "path = C:\\temp\\new\\readme",
  "\tindented with a tab",
  "run `ls` && echo ${HOME} 100%",
  '{"key": ["a\\nb", null]}',
  "naïve – ünïcode ✓",
  "",
  "last line",
].join("\n");

const args: ModelProbe = {
  id: "arguments",
  group: "arguments",
  about: "writes quotes, backslashes, tabs, line ends and other letters into a call, unchanged",
  tokens: 900,
  async run(room) {
    const { reply } = await room.ask({
      messages: asks(
        "Write the file `notes/odd.txt` with exactly this content, every character as it stands:\n\n" +
          fenced(AWKWARD),
      ),
      tools: [asSent(definitionOf(fileWrite))],
      maxTokens: REPLY_TOKENS,
    });
    const given = fieldsOf(json(reply.calls[0]?.args ?? ""));
    const written = String(given["content"] ?? "");
    const lines = written.replace(/\n$/, "").split("\n");
    const wanted = AWKWARD.split("\n");
    const wrong = wanted.findIndex((line, at) => lines[at] !== line);
    return {
      checks: [
        ...callChecks(reply, fileWrite.name),
        check("names the file", given["path"] === "notes/odd.txt", { seen: String(given["path"]) }),
        check("keeps the line ends", lines.length === wanted.length, {
          seen: `${lines.length} of ${wanted.length} lines`,
        }),
        check("keeps every character", wrong === -1 && lines.length === wanted.length, {
          points: 3,
          seen: wrong === -1
            ? undefined
            : `line ${wrong + 1}: ${JSON.stringify(lines[wrong] ?? "")}`,
        }),
      ],
    };
  },
};

const stop: ModelProbe = {
  id: "stop",
  group: "stop",
  about: "answers a plain question without a call, and then stops",
  tokens: 300,
  async run(room) {
    const { reply } = await room.ask({
      messages: asks("What is 17 + 25? Answer with the number alone; no tool is needed."),
      tools: [BOOKING],
      maxTokens: REPLY_TOKENS,
    });
    const { calls, text, end, repeated } = reply;
    return {
      checks: [
        check("calls no tool", calls.length === 0, { points: 2, seen: calls[0]?.name }),
        check("answers", /\b42\b/.test(text), { seen: text }),
        check("stops by itself", end === "stop" && repeated === undefined, { seen: end }),
        check("says no more than it was asked", text.length <= 200, {
          seen: `${text.length} characters`,
        }),
      ],
    };
  },
};

const speed: ModelProbe = {
  id: "speed",
  group: "speed",
  about: "time until the first words, and tokens a second",
  tokens: 700,
  async run(room) {
    const { reply, firstMs, ms } = await room.ask({
      messages: asks(
        "Write the numbers from one to eighty in English words, with commas between them.",
      ),
      tools: [],
      maxTokens: REPLY_TOKENS,
    });
    const first = firstMs ?? ms;
    // A reply that comes in one piece took all its time before its first words.
    const writing = ms - first > 50 ? ms - first : ms;
    const rate = reply.usage.tokensOut / (Math.max(writing, 1) / 1000);
    const seen = `${rate.toFixed(1)} tokens/s`;
    const began = { seen: `${(first / 1000).toFixed(1)} s` };
    return {
      checks: [
        check(`begins within ${LATE_MS / 1000} s`, first <= LATE_MS, began),
        check(`begins within ${PROMPT_MS / 1000} s`, first <= PROMPT_MS, began),
        check(`writes ${SLOW_TOKENS_PER_SECOND} tokens a second`, rate >= SLOW_TOKENS_PER_SECOND, {
          seen,
        }),
        check(
          `writes ${BRISK_TOKENS_PER_SECOND} tokens a second`,
          rate >= BRISK_TOKENS_PER_SECOND,
          { seen },
        ),
      ],
      speed: { first_ms: Math.round(first), tokens_per_second: Math.round(rate * 10) / 10 },
    };
  },
};

export const REPLY_PROBES = { toolCall, args, stop, speed };
