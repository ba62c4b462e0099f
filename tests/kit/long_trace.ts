/** Traces as svc writes them, of any length. */

const at = "2026-11-21T10:00:00.000Z";

export const line = (kind: string, fields: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify({ at, kind, ...fields })}\n`;

/** A reply with one call, whose id is `call` and the turn. */
export const reply = (turn: number, said: string): string =>
  line("reply", {
    turn,
    message: {
      role: "assistant",
      text: `turn ${turn}: ${said}`,
      calls: [{ id: `call${turn}`, name: "file_read", args: `{"path":"src/part_${turn}.ts"}` }],
    },
    end: "calls",
    textCalls: false,
    usage: { tokensIn: 1_200, cachedIn: 1_000, tokensOut: 34, estimated: false },
  });

export const results = (turn: number, output: string): string =>
  line("turn", {
    turn,
    append: [{ role: "tool", callId: `call${turn}`, text: `output ${turn}: ${output}` }],
    outcomes: [{ tool: "file_read", status: "ok", facts: {}, hash: "", durationMs: 1_250 }],
    elapsedMs: 4_000,
  });

export const prompt = (text: string): string =>
  line("started", {
    ...{ provider: "openai", model: "m", tools: ["file_read", "finish"] },
    messages: [{ role: "system", text }, { role: "user", text: "Mend it." }],
  });

/** Two lines a turn, of some 16 KiB. @returns how many turns */
export async function longTrace(path: string, bytes: number): Promise<number> {
  const output = "0123456789abcdef".repeat(1_000);
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const writer = file.writable.getWriter();
  const encoder = new TextEncoder();
  await writer.write(encoder.encode(line("job", { branch: "svc/T-0001" }) + prompt("Be careful.")));
  let turns = 0;
  for (let written = 0; written < bytes;) {
    let some = "";
    for (let nth = 0; nth < 64; nth++) {
      turns++;
      some += reply(turns, "I look at it.") + results(turns, output);
    }
    written += some.length;
    await writer.write(encoder.encode(some));
  }
  return turns;
}
