/** What svc prints on a real terminal: colours unless told otherwise, a live screen whose keys do what they say. */
import assert from "node:assert/strict";
import { onTerminal, printedBy } from "tests/kit/on_terminal.ts";
import { HOST, runSite } from "tests/kit/run_site.ts";
import { verifies } from "tests/kit/verifies.ts";
import { TEAM } from "tests/unit/runtime/team.ts";

const ANYWHERE = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];
const ESCAPE = "\x1b";
/** What a colour begins with. */
const STYLE = `${ESCAPE}[`;
// deno-lint-ignore no-control-regex -- ASCII begins with control characters
const ASCII = /^[\x00-\x7f]*$/;
/** What takes a terminal as a whole. */
const ALTERNATE_SCREEN = "\x1b[?1049h";

verifies(
  ["1:output:plain", "4.5:init:plain"],
  "--plain keeps colours off a terminal that has them",
  async () => {
    await using site = await runSite({ scenario: TEAM });
    const styled = [
      "svc init --dry-run --force",
      "svc doctor",
      "svc tools list",
      "svc tickets list",
      "svc trust set nobody", // fails
      "svc --help",
    ];
    const plain = styled.map((line) => `${line} --plain`);
    const printed = await printedBy(site, [...styled, ...plain]);
    for (const line of styled) assert.ok(printed.get(line)!.includes(STYLE), line);
    for (const line of plain) {
      const text = printed.get(line)!;
      assert.ok(text.length > 20, line);
      assert.ok(!text.includes(ESCAPE), `${line}: ${JSON.stringify(text)}`);
    }
  },
);

verifies(
  ["4.5:start:plain", "4.4:keys:help", "4.4:keys:graceful-stop"],
  "svc start takes a terminal as a whole, and with --plain writes lines without a style; q ends both, in ASCII where the locale has no more",
  async () => {
    await using site = await runSite({ scenario: TEAM });
    const words = ["start", "--model-endpoint", site.model.url, ...ANYWHERE, ...HOST];
    const ascii = { LC_ALL: "C" };
    await using live = onTerminal(site, words, ascii);
    await live.seen(/q stop/);
    assert.ok(live.printed.includes(ALTERNATE_SCREEN));
    await live.type("q");
    await live.seen(/stopped/);
    assert.match(live.printed, ASCII);

    await using plain = onTerminal(site, [...words, "--plain"], ascii);
    await plain.seen(/works on 1 repo/);
    await plain.seen(/keys: p pause, r restart, s scan, q stop, h help/);
    await plain.seen(/T-0001 moved/);
    await plain.type("h");
    await plain.seen(/p: pause or resume[\s\S]*r: warm restart/);
    await plain.type("q");
    await plain.seen(/jobs: /);
    assert.ok(!plain.printed.includes(ESCAPE));
    assert.match(plain.printed, ASCII);
  },
);

verifies(
  ["4.4:keys:warm-restart", "4.4:keys:scan", "4.4:keys:pause-or-resume", "4.5:serve:debug"],
  "keys s and r of a living service scan its repos and begin it anew; with --debug lines say so instead",
  async () => {
    await using site = await runSite({ scenario: TEAM });
    const registered = await site.svc("register");
    assert.equal(registered.code, 0, registered.stderr);
    const words = ["serve", "--model-endpoint", site.model.url, ...ANYWHERE, ...HOST];
    await using live = onTerminal(site, words);
    await live.seen(/q stop/);
    await live.type("s");
    await live.seen(/Scanned 1 repo: /);
    await live.type("r");
    await live.seen(/Restarted: manifests and triggers were read again/);
    await live.type("q");
    await live.seen(/stopped/);

    await using debug = onTerminal(site, [...words, "--debug"]);
    await debug.seen(/keys: p pause/);
    await debug.type("p");
    await debug.seen(/Paused: no new job starts; p resumes/);
    await debug.type("s");
    await debug.seen(/Scanned 1 repo: /);
    await debug.type("r");
    await debug.seen(/Restarted: manifests and triggers were read again/);
    await debug.type("\x03");
    await debug.seen(/jobs: /);
    assert.ok(!debug.printed.includes(ALTERNATE_SCREEN));
  },
);
