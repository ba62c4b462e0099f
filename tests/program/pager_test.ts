/** A list that is longer than the terminal, with less and more of Debian. */
import assert from "node:assert/strict";
import { verifies } from "tests/kit/verifies.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { denoDir, svcCommand } from "tests/kit/script.ts";
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";
import { newFields, newTicketText } from "svc/features/tickets/ticket_draft.ts";
import { draft } from "tests/unit/features/tickets/ticket_checkout.ts";

const AT = "2026-11-21T10:00:00Z";
const LAST = /T-0090/;

/** Ninety tickets, of which sixty rows show fifty-nine at most. */
async function place() {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await tempRepo({ files: { a: "a\n" }, commit: true }));
  const home = parts.use(await tempFolder());
  for (let number = 1; number <= 90; number++) {
    const id = `T-${String(number).padStart(4, "0")}`;
    const evidence = { at: AT, actor: "ada", what: "created", commit: undefined };
    const text = newTicketText(newFields(id, draft(`One ${number}`), AT), draft("x"), evidence);
    await repo.write(`docs/tickets/backlog/${id}.md`, text);
  }
  const list = (env: Record<string, string>, ...flags: string[]) =>
    parts.use(
      new PseudoTerminal({
        line: `sh -c "trap : INT; ${
          svcCommand().map((word) => `'${word}'`).join(" ")
        } tickets list ${flags.join(" ")}; echo over: \\$?"`,
        cwd: repo.path,
        env: {
          ...{ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home.path, TERM: "xterm-256color" },
          ...{ SVC_HOME: `${home.path}/.svc`, DENO_DIR: denoDir(), ...env },
        },
      }),
    );
  return { parts, list };
}

/** Again and again: who is interrupted forgets what was typed ahead. */
async function pressed(at: PseudoTerminal, key: string, pattern: RegExp): Promise<void> {
  await at.type(key);
  // Where the terminal has ended, `seen` says so.
  const again = setInterval(() => at.type(key).catch(() => {}), 1_000);
  await at.seen(pattern).finally(() => clearInterval(again));
}

verifies(
  "1:output:plain",
  "a list that does not fit is shown in less, which Ctrl-C does not end",
  async () => {
    const { parts, list } = await place();
    await using _parts = parts;
    const shown = list({});
    await shown.seen(/T-0058/);
    for (let times = 0; times < 2; times++) {
      await shown.type("\x03");
      // Ctrl-L has it draw what it shows.
      await pressed(shown, "\x0c", /T-0058/);
    }
    await pressed(shown, "G", LAST);
    await shown.type("q");
    await shown.seen(/over: 0/);
  },
);

verifies(
  "1:output:plain",
  "$PAGER has arguments, may leave early, and one that is not there hides nothing",
  async () => {
    const { parts, list } = await place();
    await using _parts = parts;
    const head = list({ PAGER: "head -n 3" });
    await head.seen(/over: 0/);
    assert.match(head.printed, /T-0002/);
    assert.doesNotMatch(head.printed, /T-0003/);
    for (const env of [{ PAGER: "no-such-pager -x" }, { PAGER: "cat" }]) {
      const all = list(env);
      await all.seen(LAST);
      await all.seen(/over: 0/);
    }
    const plain = list({ PAGER: "head -n 3" }, "--no-pager");
    await plain.seen(LAST);
    const short = list({ PAGER: "head -n 1" }, "--limit", "5");
    await short.seen(/T-0005[^]*5 of 90 are shown[^]*over: 0/);
  },
);
