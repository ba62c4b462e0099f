/** Groq's refusals of what its own model wrote in place of a call, in the forms of groq/groq-typescript and others. */
import assert from "node:assert/strict";
import { client, QUESTION, UNHURRIED } from "tests/unit/features/models/asking.ts";

const signal = new AbortController().signal;

const failed = (
  generation?: string,
  message = "Failed to call a function. Please adjust your prompt.",
) => ({
  error: {
    ...{ message, type: "invalid_request_error", code: "tool_use_failed" },
    ...(generation !== undefined && { failed_generation: generation }),
  },
});

const inWhole = (body: object) => Response.json(body, { status: 400 });
const inStream = ({ error }: { readonly error: object }) => {
  const data = JSON.stringify({ error: { ...error, status_code: 400 } });
  const headers = { "content-type": "text/event-stream" };
  return new Response(`event: error\ndata: ${data}\n\n`, { headers });
};

const said = (content: string) => {
  const choices = [{ index: 0, delta: { content }, finish_reason: "stop" }];
  const headers = { "content-type": "text/event-stream" };
  return new Response(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`, { headers });
};

/** Answers in order, and the last for good. */
function groq(...answers: readonly (() => Response)[]) {
  const asked: Record<string, unknown>[] = [];
  const http = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    asked.push(await request.json());
    return answers[Math.min(asked.length, answers.length) - 1]!();
  });
  const url = `http://127.0.0.1:${http.addr.port}/v1`;
  return { asked, url, [Symbol.asyncDispose]: () => http.shutdown() };
}

const FORMS = [
  '<function=look>{"a": 1}</function>',
  '{"name": "look", "arguments": {"a": 1}}',
  '<tool_call>\n{"name": "look", "arguments": {"a": 1}}\n</tool_call>',
];

for (const [how, refuse] of [["whole", inWhole], ["stream", inStream]] as const) {
  Deno.test(`a call that Groq could not read is read from its refusal (${how})`, async () => {
    for (const form of FORMS) {
      await using at = groq(() => refuse(failed(form)));
      const reply = await client(at.url, { limits: UNHURRIED }).ask(QUESTION, { signal });
      assert.deepEqual(reply.calls.map(({ name, args }) => [name, JSON.parse(args)]), [
        ["look", { a: 1 }],
      ], form);
      assert.equal(at.asked.length, 1);
    }
  });

  Deno.test(`a refusal of Groq's without a call is asked again, in the same way (${how})`, async () => {
    const wrong =
      "tool call validation failed: parameters for tool look did not match schema: errors: [`/a`: " +
      "expected integer, but got string], temperature, stream_options";
    await using at = groq(
      () => refuse(failed(undefined, wrong)),
      () => refuse(failed("I look")),
      () => said("Done."),
    );
    const reply = await client(at.url, { limits: UNHURRIED }).ask(QUESTION, { signal });
    assert.equal(reply.text, "Done.");
    assert.deepEqual(at.asked[1], at.asked[0]);
    assert.deepEqual(at.asked[2], at.asked[0]);
  });
}

Deno.test("a model whose calls Groq never reads fails as one that does not keep to the protocol", async () => {
  await using at = groq(() => inWhole(failed("I look")));
  await assert.rejects(client(at.url, { limits: UNHURRIED }).ask(QUESTION, { signal }), {
    kind: "protocol",
    message: /it answered 400: "Failed to call a function\. Please adjust your prompt\."$/,
  });
  assert.equal(at.asked.length, 5);
});
