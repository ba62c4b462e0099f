/**
 * svc against npm @copilotkit/aimock, a model server that nobody here wrote: its own HTTP handling, its own reading
 * of requests, its own streams.
 */
import assert from "node:assert/strict";
import { LLMock } from "@copilotkit/aimock";
import { runAgent } from "svc/features/agent/loop.ts";
import { openAt } from "tests/kit/servers/zoo_flows.ts";
import { type Rig, rig } from "tests/unit/features/agent/scripted_run.ts";

type Called = { readonly name: string; readonly arguments: string };

const call = (name: string, args: unknown): Called => ({ name, arguments: JSON.stringify(args) });

const PROBED = call("svc_probe", { word: "kiwi" });
const DONE = call("finish", { disposition: "submitted", evidence: "make test passes" });

/** One list of calls a reply; svc's probe has its own. It would count the last message alone, so usage is given. */
async function served(replies: readonly (readonly Called[])[]): Promise<LLMock> {
  const mock = new LLMock({ port: 0 });
  let next = 0;
  mock.on({ endpoint: "chat" }, (request) => {
    const probe = request.tools?.some((tool) => tool.function.name === "svc_probe");
    const prompt_tokens = Math.ceil(JSON.stringify(request).length / 4);
    const toolCalls = probe ? [PROBED] : replies[next++] ?? [DONE];
    return { toolCalls: [...toolCalls], usage: { prompt_tokens, completion_tokens: 20 } };
  });
  await mock.start();
  return mock;
}

async function started(mock: LLMock): Promise<Rig> {
  const model = await openAt(`${mock.url}/v1`, { model: "gpt-4o" });
  assert.equal(model.profile.tools, "native");
  const read = (args: string) => ({ text: `${args} was read` });
  return rig([], { tools: { read }, plan: { model: model.client } });
}

Deno.test("a run with calls side by side ends well on a server that nobody here wrote", async () => {
  const mock = await served([
    [call("read", { path: "a" })],
    [call("read", { path: "b" }), call("read", { path: "c" })],
  ]);
  try {
    const run = await started(mock);
    const end = await runAgent(run.plan);
    assert.equal(end.disposition, "submitted", end.evidence);
    assert.equal(run.toolbox.called.length, 4);
    const [, ...asked] = mock.getRequests().filter(({ method }) => method === "POST");
    assert.equal(asked.length, 3);
    assert.equal(end.tokensOut, 60);
    assert.equal(end.estimated, false);
    const { messages } = asked.at(-1)!.body as {
      readonly messages: readonly { content: string }[];
    };
    assert.match(messages.at(-1)!.content, /"c"\} was read/);
  } finally {
    await mock.stop();
  }
});
