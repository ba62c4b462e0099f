/** A program that runs until the test kills it. */

export interface Doomed extends AsyncDisposable {
  /** Resolves when the program has printed `count` lines since its start. @throws when it ended */
  printed(count: number): Promise<void>;
  /** SIGKILL, and waits until the program is gone. */
  kill(): Promise<void>;
}

/** @param script URL of a TypeScript program, such as `new URL("x.ts", import.meta.url)` */
export function startDoomed(script: URL, ...args: string[]): Doomed {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", script.href, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const output = child.stdout.getReader();
  let lines = 0;
  let gone: Promise<unknown> | undefined;
  const kill = async () => {
    if (gone === undefined) {
      child.kill("SIGKILL");
      gone = Promise.all([child.status, output.cancel()]);
    }
    await gone;
  };
  return {
    async printed(count) {
      while (lines < count) {
        const { value, done } = await output.read();
        if (done) throw new Error(`${script.href} ended after ${lines} lines`);
        lines += value.filter((byte) => byte === 10).length;
      }
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
