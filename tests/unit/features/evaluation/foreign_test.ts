/**
 * The probes against parts that nobody here wrote: npm `@copilotkit/aimock`, a model server with its own reading
 * of requests and its own streams, in three protocols; and each published chat template of npm
 * `@huggingface/ollama-utils`, rendered by `@huggingface/jinja` as llama.cpp renders it.
 */
import assert from "node:assert/strict";
import { createServer } from "@copilotkit/aimock";
import { chatTemplates } from "tests/kit/chat_templates.ts";
import { type ChatRequest, modelEndpoint, type ScriptedReply } from "tests/kit/model_endpoint.ts";
import { probedModel } from "tests/kit/probed_model.ts";
import { evaluateAt } from "./evaluating.ts";

const ROUTES = [
  { protocol: "chat", model: "gpt-4o" },
  { protocol: "responses", model: "gpt-4o" },
  { protocol: "messages", model: "claude-3-5-sonnet-20241022" },
] as const;

const scenario = probedModel({}, { models: [{ id: "scripted", context_length: 4_096 }] });
const [step] = scenario.steps as { reply: (request: ChatRequest) => ScriptedReply }[];

for (const route of ROUTES) {
  Deno.test(`a model behind npm's aimock is evaluated over ${route.protocol}`, async () => {
    const { server, url } = await createServer([{
      match: { endpoint: "chat" },
      response(asked) {
        const request = asked as unknown as ChatRequest;
        const prompt = Math.ceil(JSON.stringify(request.messages).length / 4);
        const usage = {
          ...{ prompt_tokens: prompt, completion_tokens: 20 }, // chat completions
          ...{ input_tokens: prompt, output_tokens: 20 }, // the other two
        };
        if (request.tools?.some((tool) => tool.function.name === "svc_probe")) {
          return { toolCalls: [{ name: "svc_probe", arguments: '{"word":"kiwi"}' }], usage };
        }
        const { text, calls = [] } = step!.reply(request);
        if (calls.length === 0) return { content: text ?? "", usage };
        const toolCalls = calls.map(({ name, args }) => ({
          name,
          arguments: JSON.stringify(args),
        }));
        return { toolCalls, usage };
      },
    }], { port: 0 });
    try {
      const found = await evaluateAt(`${url}/v1`, { route: { ...route, contextWindow: 4_096 } });
      const bad = found.probes.filter(({ group, score }) => group !== "speed" && score < 100);
      assert.deepEqual(bad, []);
      assert.equal(found.verdict, "fit");
    } finally {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    }
  });
}

/** In the form that svc asks a model for where tools are no part of the request. */
const inText = ({ text = "", calls = [] }: ScriptedReply): ScriptedReply => ({
  text: [
    text,
    ...calls.map(({ name, args }) =>
      `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`
    ),
  ].join("\n").trim(),
});

Deno.test("every probe renders in each published chat template", async () => {
  const steps = [{
    always: true,
    reply: (request: ChatRequest) =>
      request.tools === undefined ? inText(step!.reply(request)) : step!.reply(request),
  }];
  const weak: string[] = [];
  const templates = await chatTemplates();
  for (const { model, render } of templates) {
    await using endpoint = modelEndpoint({ ...scenario, steps }, {
      refuse(request) {
        try {
          render(request);
          return undefined;
        } catch (thrown) {
          return (thrown as Error).message;
        }
      },
    });
    const { probes } = await evaluateAt(endpoint.url);
    const lost = probes.filter(({ group, score }) => group !== "speed" && score < 100);
    weak.push(
      ...lost.map(({ id, why, checks }) => `${model} ${id} ${why} ${JSON.stringify(checks)}`),
    );
  }
  assert.ok(templates.length > 20, `${templates.length}`);
  assert.deepEqual(weak, []);
});
