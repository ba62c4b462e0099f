/** What svc does with a model server, each flow over real HTTP in this process: for every server of the zoo. */
import assert from "node:assert/strict";
import { runAgent } from "svc/features/agent/loop.ts";
import { resumeFrom } from "svc/features/agent/resume.ts";
import { type OpenedModel, openModel } from "svc/features/models/local/open_model.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import { systemClock } from "svc/platform/clock.ts";
import type { ChatRequest, Conversation, ScriptedReply } from "tests/kit/model_scenario.ts";
import { type FakeTool, type Rig, rig } from "tests/unit/features/agent/scripted_run.ts";
import { type OpenZoo, openZoo, type ZooServer, type ZooSizes } from "./zoo.ts";

/** A server of the zoo, and what svc is to find out about it. */
export interface ZooEntry {
  readonly server: (sizes?: ZooSizes) => ZooServer;
  readonly tools: "native" | "text";
  /** It says how many tokens it reads. */
  readonly statesWindow: boolean;
  /** A prompt that is too long is refused, or cut without a word; "none": nothing bounds it but memory. */
  readonly overflow: "refused" | "cut" | "none";
  /** Its model's reasoning goes back with the reply. */
  readonly keepsReasoning: boolean;
  /** It says how much of a prompt was in its cache. */
  readonly countsCached: boolean;
  /** What svc is refused before it speaks as the server wants it: by the probe, and by a run where no profile keeps it. */
  readonly learns?: readonly RegExp[];
  /** The same for what only some runs send. */
  readonly mayLearn?: readonly RegExp[];
  /** What a person names beside the endpoint. */
  readonly route?: Partial<ModelRoute>;
}

type Flow = (entry: ZooEntry) => Promise<void>;

const DONE = { disposition: "submitted", evidence: "make test passes" };
const finish: ScriptedReply = { calls: [{ name: "finish", args: DONE }] };
const read = (path: string): ScriptedReply => ({ calls: [{ name: "read", args: { path } }] });

/** One reply after the other, whatever the conversation looks like; a summary when one is asked for. */
function inTurn(...replies: readonly ScriptedReply[]): Conversation {
  let next = 0;
  const reply = ({ messages }: ChatRequest): ScriptedReply => {
    if (messages.at(-1)!.content.includes("about to be shortened")) return { text: "## Goal\nx" };
    return replies[next++] ?? finish;
  };
  return [{ always: true, reply }];
}

const load = <T>(module: string) => import(`svc/${module.replace(/^src\//, "")}.ts`) as Promise<T>;

/** Opens the model of a server at `endpoint` with svc's own client, as a run does. */
export function openAt(
  endpoint: string,
  other: Partial<ModelRoute> & { readonly key?: string | undefined } = {},
): Promise<OpenedModel> {
  const { key, ...route } = other;
  return openModel({
    clock: systemClock,
    redact: (text) => text,
    signal: new AbortController().signal,
    load,
    ...(key !== undefined && { key }),
  }, { provider: "zoo", endpoint, model: "", because: "a test", ...route });
}

const files: Readonly<Record<string, string>> = { "add.sh": "echo $(($1 - $2))\n" };

function tools(): Readonly<Record<string, FakeTool>> {
  const own = { ...files };
  return {
    read: (args) => {
      const { path } = JSON.parse(args) as { path: string };
      return { text: own[path] ?? `${path} has\n${"a line of text\n".repeat(200)}end of ${path}` };
    },
    edit: (args) => {
      try {
        const { path, text } = JSON.parse(args) as { path: string; text: string };
        own[path] = text;
        return { text: `Edited ${path}` };
      } catch {
        return { status: "invalid", text: "The arguments are no JSON" };
      }
    },
  };
}

interface Started extends AsyncDisposable {
  readonly zoo: OpenZoo;
  readonly model: OpenedModel;
  readonly run: Rig;
}

async function start(
  entry: ZooEntry,
  steps: Conversation,
  more: {
    readonly sizes?: ZooSizes;
    readonly route?: Partial<ModelRoute>;
    readonly rig?: Parameters<typeof rig>[1];
  } = {},
): Promise<Started> {
  const zoo = await openZoo(entry.server(more.sizes), { steps });
  const { key, speaks } = zoo.server;
  const protocol = speaks && { protocol: speaks };
  const model = await openAt(zoo.url, { key, ...protocol, ...entry.route, ...more.route });
  const run = rig([], { tools: tools(), ...more.rig, plan: { model: model.client } });
  return { zoo, model, run, [Symbol.asyncDispose]: () => zoo[Symbol.asyncDispose]() };
}

/** Refusals but for those from which the probe learned, and the run's own client once more. */
async function unlearned({ zoo }: Started, entry: ZooEntry): Promise<readonly string[]> {
  const { learns = [], mayLearn = [] } = entry;
  const left = [...learns, ...learns, ...mayLearn];
  return (await zoo.refusals()).filter((refusal) => {
    const at = left.findIndex((pattern) => pattern.test(refusal));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

async function onlyLearned(it: Started, entry: ZooEntry): Promise<void> {
  assert.deepEqual(await unlearned(it, entry), []);
  const all = (await it.zoo.refusals()).join("\n");
  for (const pattern of entry.learns ?? []) assert.match(all, pattern);
}

const last = ({ zoo: { asked, server } }: Started, at = asked.length - 1): string => {
  const request = { ...asked[at]!, said: [], answered: 0 };
  return server.protocol.read(request).messages.at(-1)!.content;
};

export const FLOWS: Readonly<Record<string, Flow>> = {
  async "is asked which models it has, whether they call tools, and how much they read"(entry) {
    await using it = await start(entry, []);
    const { profile, route, notes } = it.model;
    assert.equal(route.model, it.zoo.server.model);
    assert.equal(profile.tools, entry.tools);
    assert.equal(profile.usageReported, true);
    if (entry.statesWindow) assert.equal(profile.contextWindow, it.zoo.server.window);
    else assert.ok(notes.some((note) => /context window/.test(note)), notes.join("\n"));
    await onlyLearned(it, entry);
  },

  async "serves a run that reads, edits and finishes"(entry) {
    // More than the 512 tokens at which mlx_lm.server ends a reply that asked for no limit.
    const text = `${"# adds two numbers\n".repeat(150)}echo $(($1 + $2))\n`;
    const edit = { name: "edit", args: { path: "add.sh", text } };
    await using it = await start(
      entry,
      inTurn(
        read("add.sh"),
        { text: "It subtracts.", calls: [edit] },
        read("add.sh"),
        finish,
      ),
    );
    const end = await runAgent(it.run.plan);
    assert.equal(end.disposition, "submitted", end.evidence);
    assert.equal(it.run.toolbox.called.length, 4);
    assert.match(last(it), /\$1 \+ \$2/);
    await onlyLearned(it, entry);
  },

  async "takes the results of two calls of one reply"(entry) {
    const two = [{ name: "read", args: { path: "a" } }, { name: "read", args: { path: "b" } }];
    await using it = await start(entry, inTurn({ calls: two }, { calls: two }, finish));
    const end = await runAgent(it.run.plan);
    assert.equal(end.disposition, "submitted", end.evidence);
    assert.equal(it.run.toolbox.called.length, 5);
    assert.ok(JSON.stringify(it.zoo.asked.at(-1)!.body).includes("end of b"));
    await onlyLearned(it, entry);
  },

  async "takes the note that a reply without calls gets"(entry) {
    await using it = await start(
      entry,
      inTurn(read("a"), { text: "I am done." }, { text: "" }, finish),
    );
    const end = await runAgent(it.run.plan);
    assert.equal(end.disposition, "submitted", end.evidence);
    assert.match(last(it), /Call a tool, or finish/);
    await onlyLearned(it, entry);
  },

  async "takes the note that a circle of calls gets"(entry) {
    await using it = await start(entry, inTurn(read("a"), read("a"), read("a"), finish));
    const end = await runAgent(it.run.plan);
    assert.equal(end.disposition, "submitted", end.evidence);
    assert.match(last(it), /with the same arguments 3 times/);
    await onlyLearned(it, entry);
  },

  async "takes a conversation whose old outputs were left out"(entry) {
    const reads = Array.from({ length: 14 }, (_, n) => read(`file${n}`));
    await using it = await start(entry, inTurn(...reads, finish), {
      sizes: { window: 8_192 },
      route: { contextWindow: 8_192 },
    });
    const end = await runAgent(it.run.plan);
    assert.equal(end.disposition, "submitted", end.evidence);
    assert.ok(it.run.trace.kinds().includes("compacted"));
    await onlyLearned(it, entry);
  },

  async "takes the last turn of a run that met its limit"(entry) {
    await using it = await start(entry, inTurn(read("a"), read("b"), finish), {
      rig: { limits: { maxTurns: 2 } },
    });
    const end = await runAgent(it.run.plan);
    assert.equal(end.disposition, "submitted", end.evidence);
    assert.match(last(it), /all 2 turns are used/);
    await onlyLearned(it, entry);
  },

  async "sees a cancelled run go, and takes it up again"(entry) {
    await using it = await start(
      entry,
      inTurn(read("a"), { text: "Let me think about it", stalls: true }, read("b"), finish),
    );
    let heard = ""; // where calls are text, so is what comes before
    const plan = {
      ...it.run.plan,
      onText(delta: string) {
        heard += delta;
        if (heard.includes("Let me")) it.run.cancel.abort();
      },
    };
    assert.equal((await runAgent(plan)).disposition, "cancelled");
    await it.zoo.left;
    const resume = resumeFrom(it.run.trace.records)!;
    const again = { ...it.run.plan, signal: new AbortController().signal, resume };
    const end = await runAgent(again);
    assert.equal(end.disposition, "submitted", end.evidence);
    assert.ok(JSON.stringify(it.zoo.asked.at(-1)!.body).includes("end of b"));
    await onlyLearned(it, entry);
  },

  async "answers a prompt that is too long, and serves a shorter one"(entry) {
    const reads = Array.from({ length: 14 }, (_, n) => read(`file${n}`));
    await using it = await start(entry, inTurn(...reads, finish), {
      sizes: { window: 4_096, stated: 32_768 },
      route: { contextWindow: 32_768 },
    });
    const end = await runAgent(it.run.plan);
    assert.equal(end.disposition, "submitted", end.evidence);
    const how = it.run.trace.records.find(({ kind }) => kind === "overflow")?.["how"];
    const told = { refused: "refused", cut: "cut without a word", none: undefined };
    assert.equal(how, told[entry.overflow]);
    const refused = await unlearned(it, entry);
    assert.equal(refused.length > 0, entry.overflow === "refused", refused.join("\n"));
  },

  async "gets its model's reasoning back"(entry) {
    const thought = { reasoning: "The sign is wrong, so I look at the file first.", ...read("a") };
    await using it = await start(entry, inTurn(thought, read("b"), finish));
    const end = await runAgent(it.run.plan);
    assert.equal(end.disposition, "submitted", end.evidence);
    const back = JSON.stringify(it.zoo.asked.at(-1)!.body).includes("The sign is wrong");
    assert.equal(back, entry.keepsReasoning);
    await onlyLearned(it, entry);
  },

  async "says what it counted"(entry) {
    await using it = await start(entry, inTurn(read("a"), read("b"), finish));
    const end = await runAgent(it.run.plan);
    const sum = (key: "prompt" | "completion") =>
      it.zoo.said.reduce((total, { usage }) => total + usage[key], 0);
    const { said, server: { thoughts = 0 } } = it.zoo;
    const written = sum("completion") + thoughts * said.length;
    assert.deepEqual([end.tokensIn, end.tokensOut], [sum("prompt"), written]);
    assert.equal(end.estimated, false);
    const cached = it.run.trace.records.flatMap(({ kind, usage }) =>
      kind === "reply" ? [(usage as { cachedIn?: number }).cachedIn] : []
    );
    const expected = it.zoo.said.map(({ usage }) => entry.countsCached ? usage.cached : undefined);
    assert.deepEqual(cached, expected);
  },

  async "takes the note that a reply gets which was cut off at its limit"(entry) {
    const half = '{"path": "long.txt", "text": "all work and no';
    const cut = { calls: [{ name: "edit", args: half }], finish: "length" };
    await using it = await start(entry, inTurn(cut, read("a"), finish));
    const end = await runAgent(it.run.plan);
    assert.equal(end.disposition, "submitted", end.evidence);
    assert.match(last(it, 1), /cut off at the length limit/);
    await onlyLearned(it, entry);
  },
};

/** Declares every flow for every server. */
export function zooTests(entries: readonly ZooEntry[]): void {
  for (const entry of entries) {
    const { name } = entry.server();
    for (const [what, flow] of Object.entries(FLOWS)) {
      Deno.test(`${name} ${what}`, () => flow(entry));
    }
  }
}
