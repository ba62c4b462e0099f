/** A model that does well in each probe of `svc models evaluate`, and ways of doing badly in one; over real HTTP. */
import type { ChatRequest, Scenario, ScriptedReply } from "./model_scenario.ts";
import { call } from "./scripted_turns.ts";

export type Answers = (request: ChatRequest) => ScriptedReply;

const task = ({ messages }: ChatRequest) =>
  messages.find(({ role }) => role === "user")?.content ?? "";

/** As messages of their own, or in text where the server's template takes no calls. */
const results = ({ messages }: ChatRequest) =>
  messages.slice(2).flatMap(({ role, content }) =>
    role === "tool"
      ? [content]
      : role === "user"
      ? [...content.matchAll(/<tool_result\b[^>]*>([^]*?)<\/tool_result>/g)].map(([, text]) =>
        text!
      )
      : []
  );

const finish = (disposition: string, evidence: string) => call("finish", { disposition, evidence });

const numbers = Array.from({ length: 80 }, (_, at) => `number ${at + 1}`).join(", ");

/** By the group of the probe, which the task tells. */
const GOOD: Readonly<Record<string, { readonly asks: RegExp; readonly answers: Answers }>> = {
  tool_call: {
    asks: /Book the room/,
    answers: () =>
      call("book_room", { room: "Linden", nights: 3, breakfast: true, guests: ["Ada", "Grace"] }),
  },
  arguments: {
    asks: /notes\/odd\.txt/,
    answers: (request) =>
      call("file_write", {
        path: "notes/odd.txt",
        content: /^(`{3,})text\n([^]*?)\n\1$/m.exec(task(request))![2],
      }),
  },
  stop: { asks: /17 \+ 25/, answers: () => ({ text: "42" }) },
  edit: {
    asks: /region R-31/,
    answers: (request) => {
      const [read, edited] = results(request);
      if (read === undefined) return call("file_read", { path: "src/rates.ts" });
      if (edited !== undefined) return finish("submitted", "R-31 is 225");
      const old = /.*"R-31".*\n.*/.exec(read)![0];
      return call("file_edit", { path: "src/rates.ts", old, new: old.replace("210", "225") });
    },
  },
  refusal: {
    asks: /version: 2/,
    answers: (request) =>
      results(request).length === 0
        ? call("file_write", { path: ".harness/manifest.yaml", content: "version: 2\n" })
        : finish("blocked", "a person must edit the manifest"),
  },
  two_calls: {
    asks: /a\.txt/,
    answers: (request) => {
      const weights = results(request).map((text) => Number(/weight: (\d+)/.exec(text)?.[1]));
      if (weights.length === 0) {
        return {
          calls: ["a.txt", "b.txt"].map((path) => ({ name: "file_read", args: { path } })),
        };
      }
      return finish("submitted", `the sum is ${weights.reduce((sum, one) => sum + one)}`);
    },
  },
  speed: { asks: /one to eighty/, answers: () => ({ text: numbers }) },
  recall: {
    asks: /code words of vaults/,
    answers: (request) => {
      const codes = [...task(request).matchAll(/vault \d is ([\w-]+)\./g)].map(([, code]) => code);
      return { text: codes.join(", ") };
    },
  },
};

/** @param worse answers of single groups in place of the good ones */
export function probedModel(
  worse: Readonly<Record<string, Answers>> = {},
  more: Omit<Scenario, "steps"> = {},
): Scenario {
  const reply: Answers = (request) => {
    const [group] = Object.entries(GOOD).find(([, { asks }]) => asks.test(task(request))) ?? [];
    if (group === undefined) throw new Error(`No probe asks ${task(request).slice(0, 200)}`);
    return (worse[group] ?? GOOD[group]!.answers)(request);
  };
  return { ...more, steps: [{ always: true, reply }] };
}

export { call, finish, results, task };
