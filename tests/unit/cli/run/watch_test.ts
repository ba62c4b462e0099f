import assert from "node:assert/strict";
import { progressLine, progressLines } from "svc/cli/page/progress.ts";
import { watchRun } from "svc/cli/run/watch.ts";
import { cells } from "svc/core/terminal_text.ts";
import type { Turn } from "svc/features/agent/agent.ts";

const TURN: Turn = {
  turn: 1,
  text: "",
  calls: [{ name: "check_run", args: "{}" }, { name: "git_log", args: "{}" }],
  outcomes: (["failed", "ok"] as const).map((status) => ({
    ...{ tool: "check_run", status, text: "", facts: {}, hash: "", durationMs: 1 },
  })),
  tokensIn: 12_000,
  tokensOut: 400,
  elapsedMs: 1500,
};

/** A terminal of so many columns; undefined: none. */
function rig(columns: number | undefined, asked = { debug: false, json: false, plain: false }) {
  let [written, now] = ["", 0];
  const stderr = {
    terminal: columns !== undefined,
    columns: () => columns,
    write: (text: string) => void (written += text),
  };
  const waits: (() => void)[] = [];
  const clock = {
    now: () => 0,
    monotonic: () => now,
    processor: () => now,
    sleep(_: number, signal?: AbortSignal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waits.push(resolve);
      signal?.addEventListener("abort", () => resolve());
      return promise;
    },
  };
  const env = { get: () => undefined, all: () => ({}), forget() {} };
  const redact = (text: string) => text.replaceAll("hunter2", "[gone]");
  const drawn = columns !== undefined && !asked.plain;
  const progress = drawn ? progressLine(stderr, clock) : progressLines(stderr, clock);
  const watch = watchRun({ stderr, clock, env, redact, progress }, asked);
  return {
    watch,
    shown: () => written,
    /** Redrawn after so many seconds. */
    async pass(secs: number) {
      now += secs * 1000;
      waits.splice(0).forEach((wake) => wake());
      await Promise.resolve();
    },
  };
}

Deno.test("watchRun redraws what is done, used and came last, and leaves nothing of it", async () => {
  const { watch, shown, pass } = rig(100);
  watch.onDoing!({ kind: "asks", turn: 1 });
  assert.equal(shown(), "", "the first second passes in silence");
  await pass(2);
  assert.ok(shown().endsWith("\r\x1b[2Kturn 1 · asks the model · 2 s"), shown());
  watch.onTurn!(TURN);
  await pass(61);
  assert.match(shown(), /turn 1: check_run .*failed/);
  watch.onDoing!({ kind: "calls", turn: 2, tool: "file_\x1b[2Jedit" });
  await pass(1);
  const live = "turn 2 · file_edit · 12.4k tokens · 1 min 4 s · last: git_log ok";
  assert.ok(shown().endsWith(`\r\x1b[2K${live}`), shown());
  watch[Symbol.dispose]();
  await pass(5);
  assert.ok(shown().endsWith("\r\x1b[2K"), shown());
});

Deno.test("watchRun says that a model could not be asked, and for how long it waits", () => {
  const { watch, shown } = rig(undefined);
  const why = "Cannot ask the model: it answered 500\x1b[2J with hunter2";
  watch.onDoing!({ kind: "waits", turn: 1, why, waitMs: 1500 });
  assert.equal(shown(), "waits 1.5 s: Cannot ask the model: it answered 500 with [gone]\n");
});

Deno.test("watchRun wraps no line of a narrow terminal", async () => {
  const { watch, shown, pass } = rig(30);
  await pass(2);
  watch.onTurn!({ ...TURN, calls: [{ name: "漢".repeat(40), args: "" }] });
  watch.onStep!("漢".repeat(40));
  await pass(2);
  // deno-lint-ignore no-control-regex -- colours take no cells
  const lines = shown().replaceAll(/\x1b\[[0-9;]*[mK]/g, "").split(/[\r\n]/);
  assert.ok(lines.some((line) => line.startsWith("turn 1: 漢")));
  for (const line of lines) assert.ok(cells(line) <= 30, line);
  watch[Symbol.dispose]();
});

Deno.test("watchRun writes plain lines where nobody looks, and none for a program", () => {
  for (const how of [{ columns: undefined, plain: false }, { columns: 80, plain: true }]) {
    const { watch, shown } = rig(how.columns, { debug: false, json: false, plain: how.plain });
    watch.onJob!({ job: "0199", trace: "/t.jsonl" });
    watch.onDoing!({ kind: "asks", turn: 1 });
    watch.onTurn!(TURN);
    watch[Symbol.dispose]();
    assert.equal(
      shown(),
      "job 0199, trace /t.jsonl\nturn 1: check_run failed, git_log ok (12.4k tokens, 1.5 s)\n",
    );
  }
  const { watch } = rig(80, { debug: false, json: true, plain: false });
  assert.deepEqual(Object.keys(watch), []);
});

Deno.test("watchRun streams text whole and harmless, each turn on a line of its own", () => {
  const { watch, shown } = rig(undefined, { debug: true, json: false, plain: false });
  for (const piece of ["I say hun", "ter2 \x1b", "[2J\u202efirst\nthen", " more"]) {
    watch.onText!(piece);
  }
  watch.onTurn!({ ...TURN, calls: [], outcomes: [] });
  watch.onText!("cut o");
  watch[Symbol.dispose]();
  assert.equal(
    shown(),
    "I say [gone] first\nthen more\nturn 1: answered in words (12.4k tokens, 1.5 s)\ncut o\n",
  );
});
