import assert from "node:assert/strict";
import {
  lastPid,
  type StartedCommand,
  TAG_VARIABLE,
  taggedProcesses,
} from "svc/platform/process/sweep.ts";
import { env } from "tests/kit/shell_run.ts";

/** A process that another one of another tag started before it. */
async function withSleeper(look: (tag: string, started: StartedCommand) => void): Promise<void> {
  const tag = crypto.randomUUID();
  const before = { at: performance.now(), after: lastPid() };
  const start = (path: string) =>
    new Deno.Command("/bin/sleep", { args: ["100"], env: { ...env, [TAG_VARIABLE]: path } })
      .spawn();
  await using leader = start("other");
  await using child = start(`outer/${tag}/run`);
  look(tag, { ...before, leader: leader.pid });
  assert.deepEqual(taggedProcesses(tag), [child.pid]);
}

Deno.test("taggedProcesses finds what a brief command has started", () =>
  withSleeper((tag, started) => {
    assert.equal(taggedProcesses(tag, started).length, 1);
  }));

Deno.test("taggedProcesses looks at all where a younger process may have a lower number", () =>
  withSleeper((tag, started) => {
    const unknown: readonly Partial<StartedCommand>[] = [
      { at: started.at - 60_000 },
      { after: undefined },
      { after: 2 ** 22 },
      { leader: 2 ** 22, after: 2 ** 22 - 1 },
    ];
    for (const one of unknown) {
      assert.equal(taggedProcesses(tag, { ...started, ...one }).length, 1, JSON.stringify(one));
    }
  }));
