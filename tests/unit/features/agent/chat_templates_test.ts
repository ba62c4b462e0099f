/**
 * An eventful run on a server that renders each request through a published chat template and, as llama.cpp does,
 * answers 500 with what the template raises. Not ours: the templates (npm `@huggingface/ollama-utils`) and the engine
 * (`@huggingface/jinja`).
 */
import assert from "node:assert/strict";
import { chatTemplates } from "tests/kit/chat_templates.ts";
import type { ChatRequest } from "tests/kit/model_endpoint.ts";
import { eventfulRun } from "./eventful_run.ts";

const PAGE = new URL("../../../../docs/generated/templates.md", import.meta.url);

async function verdictOf(render: (request: ChatRequest) => string) {
  const refusals: string[] = [];
  const hidden: string[] = [];
  const { end, compacted, requests } = await eventfulRun((request) => {
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
  });
  const native = requests.at(-1)!.request.tools !== undefined;
  assert.ok(compacted, `${end.evidence}; ${refusals.join("; ")}`);
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
