import fc from "fast-check";
import assert from "node:assert/strict";
import type { Repeated } from "svc/features/models/client/model.ts";
import { replyParts } from "svc/features/models/client/reply_parts.ts";
import { repetitionWatch } from "svc/features/models/client/repetition.ts";
import { QUESTION } from "tests/unit/features/models/asking.ts";
import { patientClient } from "./talking.ts";

const signal = new AbortController().signal;

/** Characters read before the watch says stop; undefined when it never does. */
function noticedAfter(text: string, holdsFiles = false, step = 7): number | undefined {
  const watch = repetitionWatch(holdsFiles);
  for (let at = 0; at < text.length; at += step) {
    if (watch.add(text.slice(at, at + step))) return at + step;
  }
  return undefined;
}

const PROSE = "I will now look at the file `src/add.sh` again. ";
const PARAGRAPH = `${PROSE}Then I run the tests; should they fail, I look at their output:\n${
  "and mend it, ".repeat(30)
}`;

const rows = (row: string, chars: number) => row.repeat(Math.ceil(chars / row.length));

for (
  const [what, text, most] of [
    ["a sentence", PROSE.repeat(200), 2_100],
    ["a line", "Let me check the tests once more.\n".repeat(200), 2_100],
    ["a paragraph", PARAGRAPH.repeat(40), 5_200],
    ["a word", "the the ".repeat(900), 5_200],
    ["line ends", "\n".repeat(10_000), 5_200],
    ["blanks", "  ".repeat(10_000), 5_200],
    ["one token", "<|im_end|>".repeat(1_000), 5_200],
    ["equal JSON", '{"name":"look","arguments":{}}\n'.repeat(400), 5_200],
    [
      "a passage of 4 KiB",
      `${rows("abcdefghijk ", 2_000)}x${rows("lmnop ", 2_000)}`.repeat(6),
      21_600,
    ],
  ] as const
) {
  Deno.test(`a stream that repeats ${what} is noticed`, () => {
    const head = "First I looked at everything.\n";
    const after = noticedAfter(head + text);
    assert.ok(after !== undefined && after <= most + head.length, `${after}`);
    assert.equal(noticedAfter(head + text, false, 4_096) !== undefined, true);
  });
}

const numbered = (line: (n: number) => string, count: number) =>
  Array.from({ length: count }, (_, n) => line(n)).join("");

for (
  const [what, text] of [
    ["a long table", numbered((n) => `| ${n} | file${n}.ts | ok | ok | ok |\n`, 2_000)],
    ["a table of equal rows", "| the same text | the same text |\n".repeat(100)],
    ["a checklist of equal rows", "- [x] done\n".repeat(300)],
    ["rulers", `${"-".repeat(200)}\n${"=".repeat(200)}\n`.repeat(4)],
    ["base64 with a long run", `${"A".repeat(3_000)}Qk0eAAAAAAAAABoAAAAMAAAA`],
    ["indented code", `${" ".repeat(40)}return none\n`.repeat(60)],
    ["a JSON array of equal rows", '  { "id": 0, "name": "", "ok": false },\n'.repeat(90)],
    ["a sentence said ten times", PROSE.repeat(10)],
    ["counting", numbered((n) => `Step ${n}: I look at the next file.\n`, 3_000)],
    ["a sentence among others", numbered((n) => `${PROSE}File ${n} is fine.\n`, 500)],
  ] as const
) {
  Deno.test(`a stream with ${what} is let go on`, () => {
    assert.equal(noticedAfter(text), undefined);
    assert.equal(noticedAfter(`Here it is:\n${text}\nThat is all.`), undefined);
  });
}

for (
  const [what, row] of [
    ["equal lines", "0 0 0 0 0 0 0 0\\n"],
    ["a sentence of filler", "Lorem ipsum dolor sit amet, consectetur. "],
    ["a run of zeros", "0"],
    ["equal rows", '{\\"id\\": 0},'],
  ] as const
) {
  Deno.test(`a call may write a file full of ${what}, but not without end`, () => {
    assert.equal(noticedAfter(rows(row, 12_000), true), undefined);
    const after = noticedAfter(rows(row, 60_000), true);
    assert.ok(after !== undefined && after < 20_000, `${after}`);
  });
}

Deno.test("property: text without a long repetition is never stopped, whatever its pieces", () => {
  const words = fc.array(fc.string({ minLength: 1, maxLength: 12 }), {
    minLength: 1,
    maxLength: 400,
  });
  fc.assert(fc.property(words, fc.integer({ min: 1, max: 3_000 }), (some, step) => {
    const text = some.map((word, n) => `${word}${n} `).join("").repeat(3);
    assert.equal(noticedAfter(text, false, step), undefined);
  }));
});

const delta = (value: object) => ({ choices: [{ delta: value }] });
const callPart = (args: string, index = 0) =>
  delta({ tool_calls: [{ index, id: `c${index}`, function: { name: "look", arguments: args } }] });

function collected(chunks: Iterable<object>) {
  const parts = replyParts();
  for (const chunk of chunks) {
    parts.take(chunk);
    if (parts.repeated() !== undefined) break;
  }
  return parts.collected();
}

function* endless(head: readonly object[], chunk: object) {
  yield* head;
  for (let n = 0; n < 20_000; n++) yield chunk;
}

Deno.test("what came before a repetition is kept", () => {
  const { text, repeated, finish } = collected(endless(
    [delta({ content: "I begin. " })],
    delta({
      content: PROSE,
    }),
  ));
  assert.match(text, /^I begin\. I will now look at the file/);
  assert.ok(text.length <= `I begin. ${PROSE}`.length);
  assert.deepEqual([repeated, finish], ["text", "length"]);
});

Deno.test("repeated reasoning is cut and does not go back as if it were whole", () => {
  const { reasoning, repeated } = collected(
    endless([delta({ reasoning: "Hm. " })], delta({ reasoning: PROSE })),
  );
  assert.match(reasoning!.text, /^Hm\. I will now look at the file/);
  assert.ok(reasoning!.text.length <= `Hm. ${PROSE}`.length);
  assert.deepEqual([reasoning!.field, repeated], [undefined, "reasoning"]);
});

Deno.test("a call whose arguments never end is dropped, one before it is kept", () => {
  const before = callPart('{"a":1}');
  const { calls, repeated } = collected(endless([before], callPart("0, ", 1)));
  assert.deepEqual([calls.map(({ args }) => args), repeated], [['{"a":1}'], "arguments"]);
});

Deno.test("one call that is made without end is made once", () => {
  function* calls() {
    for (let n = 0; n < 20_000; n++) yield callPart('{"path":"src/a.ts"}', n);
  }
  const found = collected(calls());
  assert.deepEqual([found.calls.length, found.repeated], [1, "arguments"]);
});

const KINDS: Readonly<Record<Repeated, object>> = {
  text: delta({ content: PROSE }),
  reasoning: delta({ reasoning_content: PROSE }),
  arguments: callPart("0, "),
};

for (const [kind, chunk] of Object.entries(KINDS)) {
  Deno.test(`a server whose ${kind} never ends is left, once, and the reply is handed on`, async () => {
    const gone = Promise.withResolvers<void>();
    let asked = 0;
    const bytes = new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`);
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
      asked++;
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(bytes),
        cancel: () => gone.resolve(),
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    });
    try {
      const model = patientClient(`http://127.0.0.1:${server.addr.port}/v1`);
      const reply = await model.ask(QUESTION, { signal });
      assert.deepEqual([reply.repeated, reply.end, asked], [kind, "length", 1]);
      await gone.promise;
    } finally {
      await server.shutdown();
    }
  });
}
