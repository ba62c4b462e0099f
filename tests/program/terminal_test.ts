/** The live terminal on a real one: a confined Worker draws, and the terminal is given back however it ends. */
import assert from "node:assert/strict";
import { denoDir } from "tests/kit/script.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";

const PROGRAM = new URL("../kit/terminal_program.ts", import.meta.url).pathname;
const ROOT = new URL("../..", import.meta.url).pathname;

/** What is sent to take the terminal and to give it back. */
const TAKEN = "\x1b[?1049h\x1b[?25l";
const GIVEN_BACK = "\x1b[?25h\x1b[?1049l";

interface Shown extends AsyncDisposable {
  readonly terminal: PseudoTerminal;
  readonly pid: number;
  /** Path of the pseudo-terminal. */
  readonly tty: string;
}

async function show(how: string): Promise<Shown> {
  const home = await tempFolder();
  const deno = `${Deno.execPath()} run -A --no-check ${PROGRAM} ${how}`;
  const terminal = new PseudoTerminal({
    line:
      `sh -c 'trap : INT; tty; ${deno}; stty -a | tr ";" "\\n" | grep -o -e "-*icanon" -e "-*echo " ; echo over'`,
    cwd: ROOT,
    env: {
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      HOME: Deno.env.get("HOME") ?? "/",
      DENO_DIR: denoDir(),
      SVC_HOME: home.path,
      TERM: "xterm",
    },
  });
  const [tty = ""] = await terminal.seen(/\/dev\/\S+/);
  const [, pid = ""] = await terminal.seen(/pid (\d+)/);
  await terminal.seen(/q stop/);
  return {
    ...{ terminal, tty, pid: Number(pid) },
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** The cursor, the main screen, lines and echo are there again. */
async function isGivenBack({ terminal }: Shown, said: RegExp): Promise<void> {
  await terminal.seen(said);
  const [mode = ""] = await terminal.seen(/[\s\S]*?over/);
  assert.match(mode, /(?<!-)icanon/);
  assert.match(mode, /(?<!-)echo /);
  const { printed } = terminal;
  assert.equal(printed.split(TAKEN).length, 2);
  assert.equal(printed.split(GIVEN_BACK).length, 2);
  assert.ok(printed.lastIndexOf("dashboard") < printed.indexOf(GIVEN_BACK), "drawn on afterwards");
}

verifies(
  ["4.4:keys:pause-or-resume", "4.4:keys:help", "4.4:keys:graceful-stop"],
  "a person's keys reach the service, the window may change, and q ends it",
  async () => {
    await using shown = await show("well");
    const { terminal, tty } = shown;
    await terminal.type("p");
    await terminal.seen(/Paused: no new job starts; p resumes/);
    await terminal.type("h");
    await terminal.seen(/show or hide this help/);
    const size = { args: ["-F", tty, "cols", "36", "rows", "8"] };
    assert.ok((await new Deno.Command("stty", size).output()).success);
    await terminal.seen(/too small: 36×8/);
    await terminal.type("q");
    await isGivenBack(shown, /ended with 0/);
  },
);

Deno.test("Ctrl-C goes on being a signal, and once more hurries the service", async () => {
  await using shown = await show("lingers");
  await shown.terminal.type("\x1a\x03"); // Ctrl-Z suspends nothing
  await shown.terminal.seen(/stopping: waits for engineer on SHOP-9/);
  await shown.terminal.type("\x03");
  await isGivenBack(shown, /ended with 0/);
});

Deno.test("the terminal is given back after TERM, when the screen fails, and when its Worker dies", async () => {
  const ends = [
    ["well", (shown: Shown) => Deno.kill(shown.pid, "SIGTERM"), /ended with 0/],
    ["throws", (shown: Shown) => shown.terminal.type("s"), /failed: /],
    ["dies", (shown: Shown) => shown.terminal.type("s"), /failed: The confined Worker died/],
  ] as const;
  for (const [how, end, said] of ends) {
    await using shown = await show(how);
    await end(shown);
    await isGivenBack(shown, said);
  }
});

Deno.test("the terminal is given back when a service that hangs is ended by signals", async () => {
  await using shown = await show("stuck");
  await shown.terminal.type("\x03");
  await shown.terminal.seen(/stopping: waits for engineer on SHOP-9/);
  await shown.terminal.type("\x03");
  await isGivenBack(shown, /(?=-?icanon)/);
});
