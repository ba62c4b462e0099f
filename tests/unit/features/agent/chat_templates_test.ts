/**
 * One eventful run (calls side by side, a silent turn, a circle, masking, the last turn) on a server that
 * renders each request through a published chat template and, as llama.cpp does, answers 500 with what the
 * template raises. Not ours: the templates (npm `@huggingface/ollama-utils`) and the engine (`@huggingface/jinja`).
 */
import assert from "node:assert/strict";
import { runAgent } from "svc/features/agent/loop.ts";
import { openaiClient } from "svc/features/models/client/client.ts";
import { systemClock } from "svc/platform/clock.ts";
import { chatTemplates } from "tests/kit/chat_templates.ts";
import { type ChatRequest, modelEndpoint, type Step } from "tests/kit/model_endpoint.ts";
import { profile, route } from "tests/unit/features/models/asking.ts";
import { rig } from "./scripted_run.ts";

const PAGE = new URL("../../../../docs/generated/templates.md", import.meta.url);

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Natively where tools are offered, else in the form that svc asks a model for. */
const calling = (...calls: readonly Call[]): Step => ({
  reply: (request) =>
    request.tools !== undefined ? { calls } : {
      text: calls.map(({ name, args }) =>
        `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`
      ).join("\n"),
    },
});
const read = (path: string): Call => ({ name: "read", args: { path } });

const SCRIPT: readonly Step[] = [
  calling(read("a"), read("b")),
  { reply: { text: "I think about it." } },
  ...Array.from({ length: 3 }, () => calling(read("same"))),
  ...Array.from({ length: 8 }, (_, at) => calling(read(`long${at}`))),
  { when: { last: "## Next steps" }, always: true, reply: { text: "## Goal\nread all" } },
  {
    when: { last: "The run ends now" },
    ...calling({ name: "finish", args: { disposition: "blocked", evidence: "done" } }),
  },
];

const OUTPUT = "a line of output\n";

async function verdictOf(render: (request: ChatRequest) => string) {
  const refusals: string[] = [];
  const hidden: string[] = [];
  await using endpoint = modelEndpoint({ steps: SCRIPT }, {
    refuse(request) {
      try {
        const prompt = render(request);
        const last = request.messages.at(-1)!.content.split("\n").at(-1)!;
        const shown = prompt.includes(last) || prompt.includes(JSON.stringify(last).slice(1, -1));
        if (!shown) hidden.push(last);
        return undefined;
      } catch (thrown) {
        refusals.push((thrown as Error).message);
        return (thrown as Error).message;
      }
    },
  });
  const run = rig([], {
    tools: {
      read: (args) => ({ text: args.includes("long") ? OUTPUT.repeat(60) : `${OUTPUT}${args}` }),
    },
    limits: { maxTurns: 13 },
  });
  const model = openaiClient({
    route: route(endpoint.url),
    profile: profile(endpoint.url, { contextWindow: 1_600 }),
    clock: systemClock,
    redact: (text) => text,
  });
  const end = await runAgent({ ...run.plan, model });
  const native = endpoint.requests.at(-1)!.request.tools !== undefined;
  assert.ok(run.trace.kinds().includes("compacted"), `${end.evidence}; ${refusals.join("; ")}`);
  return { end, refusals, hidden: hidden.length, native };
}

Deno.test("a run works on every published chat template that knows tools", async () => {
  const rows: string[] = [];
  for (const { model, render } of await chatTemplates()) {
    const { end, refusals, hidden, native } = await verdictOf(render);
    assert.equal(end.disposition, "blocked", `${model}: ${end.evidence}`);
    // A template that raises at tool turns is asked in text from its first refusal on.
    assert.equal(refusals.length, native ? 0 : 1, `${model}: ${refusals.join("; ")}`);
    const how = native ? "natively" : "in text";
    const note = refusals[0] ?? (hidden > 0 ? "leaves tool results out of the prompt" : "");
    rows.push(`| ${model.replace("library/", "")} | ${how} | ${refusals.length} | ${note} |`);
  }
  assert.ok(rows.length >= 20, `${rows.length} templates`);
  const page = [
    "# Chat templates",
    "",
    "How svc works with the chat templates of npm's `@huggingface/ollama-utils` that know tools, rendered with",
    "`@huggingface/jinja`. Written by `UPDATE=1 deno test -A tests/unit/features/agent/chat_templates_test.ts`.",
    "",
    "| template | tools are called | requests refused | |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
  if (Deno.env.get("UPDATE") === "1") await Deno.writeTextFile(PAGE, page);
  assert.equal(await Deno.readTextFile(PAGE), page);
});
