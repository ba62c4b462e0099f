/**
 * What the agent's loop adds to a model and to tools that cost nothing: ms a turn over 40 turns with
 * a real trace on disk, the last turns against the first, and against a loop that only keeps its
 * messages and writes a line with fdatasync.
 *
 *   deno run -A bench/agent_loop.ts [rounds]
 */
import { redactor } from "svc/core/redact.ts";
import { runAgent } from "svc/features/agent/loop.ts";
import { openTrace } from "svc/features/agent/trace.ts";
import { redactSecrets } from "svc/features/guardrails/redact_text.ts";
import type { Message, ModelClient, ModelReply } from "svc/features/models/client/model.ts";
import type { Toolbox } from "svc/features/tools/tool.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";

const rounds = Number(Deno.args[0] ?? 9);
const TURNS = 40;
const OUTPUT = "src/users.ts:12: export function create(name: string) {\n".repeat(80);

function reply(turn: number): ModelReply {
  const last = turn === TURNS;
  const args = last ? { disposition: "reported", evidence: "e" } : { pattern: `word${turn}` };
  return {
    text: "I look where it is used.",
    calls: [{ id: `c${turn}`, name: last ? "finish" : "grep", args: JSON.stringify(args) }],
    textCalls: false,
    usage: { tokensIn: 1_000, tokensOut: 20, estimated: true },
    end: "calls",
    truncatedPrompt: false,
  };
}

function instantModel(): ModelClient {
  let turn = 0;
  return {
    route: { provider: "bench", endpoint: "http://127.0.0.1:1", model: "m", because: "bench" },
    profile: {
      endpoint: "http://127.0.0.1:1",
      model: "m",
      evidence: "fixture",
      tools: "native",
      contextWindow: 200_000,
      usageReported: false,
      probedAt: 0,
    },
    ask: () => Promise.resolve(reply(++turn)),
  };
}

const definitions = Array.from({ length: 14 }, (_, index) => ({
  type: "function" as const,
  function: {
    name: index === 0 ? "finish" : index === 1 ? "grep" : `tool${index}`,
    description: "x".repeat(150),
    parameters: {},
  },
}));

function instantTools(): Toolbox {
  let count = 0;
  return {
    read: (name, args) => Promise.resolve({ name, args, repairs: [] }),
    offered: () => Promise.resolve(definitions),
    readsOnly: (name) => name === "grep",
    call: (tool, args) => {
      const facts = tool === "finish" ? JSON.parse(String(args)) : {};
      const text = tool === "finish" ? "Finished" : OUTPUT;
      return Promise.resolve({
        tool,
        status: "ok",
        text,
        facts,
        hash: `${++count}`,
        durationMs: 0,
      });
    },
  };
}

/** Time from one turn shown to the next, ms. */
async function svcTurns(path: string): Promise<number[]> {
  const redact = redactor(["sk-a-secret-of-the-user", "another-secret-value"], redactSecrets);
  using trace = await openTrace({ files: denoFiles(), path, redact, clock: systemClock });
  const shown: number[] = [performance.now()];
  const end = await runAgent({
    system: "s".repeat(8_000),
    task: "t".repeat(1_000),
    rules: "r",
    toolbox: instantTools(),
    model: instantModel(),
    limits: { maxTurns: 50, budgetTokens: 500_000, timeoutMs: 600_000 },
    trace,
    clock: systemClock,
    signal: new AbortController().signal,
    onTurn: () => shown.push(performance.now()),
  });
  if (end.turns !== TURNS) throw new Error(`The run ended early: ${end.evidence}`);
  return shown.slice(1).map((at, index) => at - shown[index]!);
}

/** The least that is durable: a message list, one line a turn, one fdatasync. */
async function floorTurns(path: string): Promise<number[]> {
  using file = await Deno.open(path, { append: true, create: true });
  const messages: Message[] = [];
  const took: number[] = [];
  for (let turn = 1; turn <= TURNS; turn++) {
    const start = performance.now();
    const { calls, text } = reply(turn);
    messages.push({ role: "assistant", text, calls });
    messages.push({ role: "tool", callId: calls[0]!.id, text: OUTPUT });
    await file.write(new TextEncoder().encode(`${JSON.stringify(messages.slice(-2))}\n`));
    await file.syncData();
    took.push(performance.now() - start);
  }
  return took;
}

const median = (all: readonly number[]) => [...all].sort((a, b) => a - b)[all.length >> 1]!;
const mean = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;

const folder = await Deno.makeTempDir({ prefix: "svc-bench-" });
const svc: number[][] = [];
const floor: number[][] = [];
for (let round = 0; round <= rounds; round++) {
  const [one, two] = [
    await svcTurns(`${folder}/${round}.jsonl`),
    await floorTurns(`${folder}/${round}.floor`),
  ];
  // The first round warms up.
  if (round > 0) {
    svc.push(one);
    floor.push(two);
  }
}
await Deno.remove(folder, { recursive: true });

const ms = (value: number) => value.toFixed(2).padStart(7);
const [each, least] = [median(svc.map(mean)), median(floor.map(mean))];
const ratio = median(svc.map((turns) => mean(turns.slice(-6)) / mean(turns.slice(2, 8))));
console.log(`${rounds} rounds of ${TURNS} turns, an output of ${OUTPUT.length} characters each`);
console.log(`svc, ms a turn           ${ms(each)}   slowest ${ms(Math.max(...svc.flat()))}`);
console.log(`floor, ms a turn         ${ms(least)}   svc is ${(each / least).toFixed(1)} times it`);
console.log(`turns 35-40 over 3-8     ${ms(ratio)}   goal 1.2`);
