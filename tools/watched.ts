/** Runs a process and reads its output, and ends it when it hangs, so that a run of tests always ends. */

/**
 * A process that prints nothing for so long hangs. The check of types says nothing until its end, and
 * takes 40 s alone, but over six minutes beside a whole run on a slow machine.
 */
const SILENCE_MS = 15 * 60_000;
/** For what a process that has ended left in its pipes; a child of it may hold them open for ever. */
const PIPES_MS = 10_000;

/** The process and all that descend from it, as `ps` tells them: what hangs is the last of them. */
async function family(pid: number): Promise<{ pid: number; line: string }[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-eo", "pid=,ppid=,etimes=,args="] })
    .output();
  const rows = new TextDecoder().decode(stdout).split("\n").map((line) => ({
    pid: Number(line.trim().split(/\s+/)[0]),
    parent: Number(line.trim().split(/\s+/)[1]),
    line: line.slice(0, 300),
  }));
  const found = new Set([pid]);
  // A parent may stand below its child in the list.
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const row of rows) if (found.has(row.parent)) found.add(row.pid);
  }
  return rows.filter((row) => found.has(row.pid));
}

function end(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly hung: string | undefined;
}

/** What a process printed, and how it ended; `hung` names the processes that were ended for it. */
export async function watched(
  command: Deno.Command,
  { silence: silenceMs = SILENCE_MS, pipes = PIPES_MS } = {},
): Promise<Ended> {
  const child = command.spawn();
  const said = { stdout: "", stderr: "" };
  let hung: string | undefined;
  const onSilence = async () => {
    const processes = await family(child.pid);
    hung = `nothing was printed for ${silenceMs / 1000} seconds; these processes were ended ` +
      `(pid, parent, seconds, command):\n${processes.map(({ line }) => line).join("\n")}`;
    for (const { pid } of processes.reverse()) end(pid);
  };
  let silence = setTimeout(onSilence, silenceMs);
  const closing = new AbortController();
  const read = async (name: keyof typeof said) => {
    const text = child[name].pipeThrough(new TextDecoderStream(), { signal: closing.signal });
    for await (const part of text) {
      said[name] += part;
      clearTimeout(silence);
      silence = setTimeout(onSilence, silenceMs);
    }
  };
  const reading = Promise.allSettled([read("stdout"), read("stderr")]);
  const { code } = await child.status;
  clearTimeout(silence);
  const late = setTimeout(() => {
    hung ??= "it ended, and left a process behind that holds its output open";
    closing.abort();
  }, pipes);
  await reading;
  clearTimeout(late);
  clearTimeout(silence);
  return { code, ...said, hung };
}
