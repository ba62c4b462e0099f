/** Each strict local server takes a good request, and refuses each bad one in its own words and with its own status. */
import assert from "node:assert/strict";
import { llamaCpp } from "tests/kit/servers/llama_cpp.ts";
import { lmStudio } from "tests/kit/servers/lm_studio.ts";
import { mlxLm } from "tests/kit/servers/mlx_lm.ts";
import { ollama } from "tests/kit/servers/ollama.ts";
import {
  type Body,
  conversation,
  type Refusals,
  refusalTests,
  tool,
} from "tests/kit/servers/refusal_table.ts";
import { sglang } from "tests/kit/servers/sglang.ts";
import { vllm } from "tests/kit/servers/vllm.ts";
import { openZoo, type ZooServer } from "tests/kit/servers/zoo.ts";

const good = ({ model }: ZooServer): Body => ({
  model,
  max_tokens: 100,
  messages: conversation(["call_1", "call_2"]),
  tools: [tool("look")],
});

const question = ({ model }: ZooServer): Body => ({
  model,
  messages: [{ role: "user", content: "Look." }],
});

const brokenArguments = (body: Body) =>
  body.messages[2].tool_calls[0].function.arguments = '{"path":';

const noteAfterResult = (body: Body) => body.messages.push({ role: "user", content: "Go on." });

const lateSystem = (body: Body) => body.messages.splice(2, 0, { role: "system", content: "Now." });

const long = (body: Body) => body.messages[0].content = "word ".repeat(500);

const otherModel = (body: Body) => body.model = "gpt-9";

const tools = (body: Body) => body.tools = [tool("look")];

function entry(
  server: ZooServer,
  bad: Refusals["bad"],
  body: (server: ZooServer) => Body = good,
): Refusals {
  return { server, good: body(server), bad };
}

const TABLE: readonly Refusals[] = [
  entry(llamaCpp({ jinja: true, window: 600 }), [
    ["broken arguments", brokenArguments, /^500 .*Failed to parse tool call arguments as JSON/],
    ["a note after a result", noteAfterResult, /^500 .*roles must alternate/],
    ["a late system message", lateSystem, /^500 .*System message must be at the beginning/],
    ["a long prompt", long, /^400 .*exceed_context_size_error.*"n_ctx":600/],
  ]),
  entry(llamaCpp({ jinja: false }), [
    ["tools", tools, /^500 .*tools param requires --jinja flag/],
    ["a forced call", (body) => body.tool_choice = "required", /^500 .*tool_choice param requires/],
  ], question),
  entry(ollama({ tools: true }), [
    ["broken arguments", brokenArguments, /^400 .*invalid tool call arguments/],
    [
      "content that is null",
      (body) => body.messages[1].content = null,
      /^400 .*content type: <nil>/,
    ],
    [
      "minimal effort",
      (body) => body.reasoning_effort = "minimal",
      /^400 .*invalid reasoning value/,
    ],
    ["another model", otherModel, /^404 .*model 'gpt-9' not found/],
  ]),
  entry(
    ollama({ tools: false }),
    [["tools", tools, /^400 .*registry.ollama.ai.* does not support tools/]],
    question,
  ),
  entry(vllm({ autoToolChoice: true, window: 600 }), [
    ["broken arguments", brokenArguments, /^400 .*BadRequestError/],
    ["a note after a result", noteAfterResult, /^400 .*roles must alternate/],
    ["a limit in words", (body) => body.max_tokens = "100", /^400 .*valid integer.*"max_tokens"/],
    ["an empty list of tools", (body) => body.tools = [], /^400 .*must not be an empty array/],
    ["no tool to be forced", (body) => {
      body.tool_choice = "required";
      delete body.tools;
    }, /^400 .*`tools` must be set/],
    ["a long prompt", long, /^400 .*However, your request has \d+ input tokens/],
    ["no room for the reply", (body) => body.max_tokens = 500, /^400 .*too large: 500\./],
    ["another model", otherModel, /^404 .*does not exist/],
  ]),
  entry(vllm({ autoToolChoice: false }), [
    ["tools", tools, /^400 .*requires --enable-auto-tool-choice and --tool-call-parser/],
  ], question),
  entry(sglang({ toolParser: true, window: 600 }), [
    ["broken arguments", brokenArguments, /^500 .*"object":"error"/],
    ["a note after a result", noteAfterResult, /^400 .*roles must alternate/],
    ["a long prompt", long, /^400 .*is longer than the model's context length \(600 tokens\)/],
    [
      "no room for the reply",
      (body) => body.max_tokens = 500,
      /^400 .*Requested token count exceeds/,
    ],
    ["no tool to be forced", (body) => {
      body.tool_choice = "required";
      delete body.tools;
    }, /^400 .*Tools cannot be empty/],
  ]),
  entry(lmStudio({ v1: true, window: 600 }), [
    ["broken arguments", brokenArguments, /^200 event: error\ndata: .*Error rendering prompt/],
    ["a note after a result", noteAfterResult, /^200 event: error\ndata: .*roles must alternate/],
    ["a long prompt", long, /^200 event: error\ndata: .*does not fit in context length/],
    ["another model", otherModel, /^404 .*Invalid model identifier.*model_not_found/],
  ]),
  entry(mlxLm(), [
    ["broken arguments", brokenArguments, /^404 \{"error":"Expecting value/],
    ["a note after a result", noteAfterResult, /^404 .*roles must alternate/],
    ["another model", otherModel, /^404 .*Repository Not Found/],
  ]),
];

refusalTests(TABLE);

/** RFC 9112, 3.2.2: the form for proxies; llama.cpp's and mlx_lm's HTTP libraries look for it among their paths. */
Deno.test("a request target in absolute form is no path of a strict server", async () => {
  for (const { server } of TABLE) {
    await using zoo = await openZoo(server, {});
    const { hostname, port, origin } = new URL(zoo.url);
    using socket = await Deno.connect({ hostname, port: Number(port) });
    const head =
      `GET ${origin}/v1/models HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`;
    await socket.write(new TextEncoder().encode(head));
    const answer = await new Response(socket.readable).text();
    assert.ok(!answer.includes(server.model), answer);
    assert.deepEqual(zoo.targets, [`GET ${origin}/v1/models`]);
  }
});
