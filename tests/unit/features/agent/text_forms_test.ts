/**
 * A run on a server that leaves the model's calls in the text, in each form in turn: the model reads a file and
 * finishes. The forms come from published templates and parsers (tests/unit/features/models/client/text_forms.ts).
 */
import assert from "node:assert/strict";
import { runAgent } from "svc/features/agent/loop.ts";
import { openaiClient } from "svc/features/models/client/client.ts";
import type { ToolDefinition } from "svc/features/tools/tool.ts";
import { systemClock } from "svc/platform/clock.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { profile, route } from "tests/unit/features/models/asking.ts";
import { FINISH, FORMS, READ } from "tests/unit/features/models/client/text_forms.ts";
import { rig } from "./scripted_run.ts";

const DEFINITIONS: readonly ToolDefinition[] = Object.entries({
  file_read: { path: { type: "string" }, limit: { type: "integer" } },
  finish: { disposition: { type: "string" }, evidence: { type: "string" } },
}).map(([name, properties]) => ({
  type: "function",
  function: { name, description: "", parameters: { type: "object", properties } },
}));

Deno.test("a run goes to its end with calls in each form that models write into their text", async () => {
  for (const [what, { write, tail = "" }] of Object.entries(FORMS)) {
    await using endpoint = modelEndpoint({
      steps: [
        { reply: { text: `I look at it.\n${write([READ])}${tail}` } },
        { reply: { text: `All is well.\n${write([FINISH])}${tail}` } },
      ],
    });
    const read: unknown[] = [];
    const run = rig([], {
      tools: {
        file_read: (args) => {
          read.push(JSON.parse(args));
          return { text: "1: hello" };
        },
      },
    });
    const model = openaiClient({
      route: route(endpoint.url),
      profile: profile(endpoint.url),
      clock: systemClock,
      redact: (text) => text,
    });
    const end = await runAgent({
      ...run.plan,
      toolbox: { ...run.plan.toolbox, offered: () => Promise.resolve(DEFINITIONS) },
      model,
    });
    assert.equal(end.disposition, "approved", `${what}: ${end.evidence}`);
    assert.equal(end.evidence, FINISH.args["evidence"], what);
    assert.deepEqual([end.turns, read], [2, [READ.args]], what);
  }
});
