/**
 * svc against npm @copilotkit/aimock, a model server that nobody here wrote: its own HTTP handling, its own reading
 * of requests, its own streams.
 */
import assert from "node:assert/strict";
import { createServer } from "@copilotkit/aimock";
import { runAgent } from "svc/features/agent/loop.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import type { ChatRequest } from "tests/kit/model_scenario.ts";
import { openAt } from "tests/kit/servers/zoo_flows.ts";
import { type Rig, rig } from "tests/unit/features/agent/scripted_run.ts";

type Called = { readonly name: string; readonly arguments: string };

const call = (name: string, args: unknown): Called => ({ name, arguments: JSON.stringify(args) });

const PROBED = call("svc_probe", { word: "kiwi" });
const DONE = call("finish", { disposition: "submitted", evidence: "make test passes" });

interface Served extends AsyncDisposable {
  readonly url: string;
  /** Requests for a reply, the probe's first; aimock keeps those of every protocol in the form of chat completions. */
  asked(): readonly ChatRequest[];
}

/** One list of calls a reply; svc's probe has its own. It would count the last message alone, so usage is given. */
async function served(replies: readonly (readonly Called[])[]): Promise<Served> {
  let next = 0;
  const { server, url, journal } = await createServer([{
    match: { endpoint: "chat" },
    response(request) {
      const probe = request.tools?.some((tool) => tool.function.name === "svc_probe");
      const prompt = Math.ceil(JSON.stringify(request).length / 4);
      const toolCalls = probe ? [PROBED] : replies[next++] ?? [DONE];
      const usage = {
        ...{ prompt_tokens: prompt, completion_tokens: 20 }, // chat completions
        ...{ input_tokens: prompt, output_tokens: 20 }, // the other two
      };
      return { toolCalls: [...toolCalls], usage };
    },
  }], { port: 0 });
  return {
    url: `${url}/v1`,
    asked: () =>
      journal.getAll().flatMap(({ method, body }) =>
        method === "POST" ? [body as ChatRequest] : []
      ),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done));
      // Its own `stop` waits for connections that a client keeps for its next request.
      server.closeAllConnections();
      await closed;
    },
  };
}

async function started(mock: Served, route: Partial<ModelRoute>): Promise<Rig> {
  const model = await openAt(mock.url, route);
  assert.equal(model.profile.tools, "native");
  const read = (args: string) => ({ text: `${args} was read` });
  return rig([], { tools: { read }, plan: { model: model.client } });
}

const ROUTES = [
  { protocol: "chat", model: "gpt-4o" },
  { protocol: "responses", model: "gpt-4o" },
  { protocol: "messages", model: "claude-3-5-sonnet-20241022" },
] as const;

for (const route of ROUTES) {
  Deno.test(`a run with calls side by side ends well over ${route.protocol} on a server that nobody here wrote`, async () => {
    await using mock = await served([
      [call("read", { path: "a" })],
      [call("read", { path: "b" }), call("read", { path: "c" })],
    ]);
    const run = await started(mock, route);
    const end = await runAgent(run.plan);
    assert.equal(end.disposition, "submitted", end.evidence);
    assert.equal(run.toolbox.called.length, 4);
    const [, ...asked] = mock.asked();
    assert.equal(asked.length, 3);
    assert.equal(end.tokensOut, 60);
    assert.equal(end.estimated, false);
    assert.match(asked.at(-1)!.messages.at(-1)!.content, /"c"\} was read/);
  });
}
