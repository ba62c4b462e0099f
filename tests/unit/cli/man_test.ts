/** Man pages: as mandoc reads them, and with all that help says. */
import assert from "node:assert/strict";
import { flagName } from "svc/cli/flags.ts";
import { manPage, roffText } from "svc/cli/man.ts";
import { TREE } from "svc/cli/tree.gen.ts";
import { svc } from "tests/kit/entrance.ts";

const COMMANDS = Object.entries(TREE.commands).filter(([, { hidden }]) => !hidden);
const PAGES: readonly (readonly [path: string, roff: string])[] = [
  ["", manPage(TREE, "")],
  ...COMMANDS.map(([path]) => [path, manPage(TREE, path)] as const),
];

const mandoc = await new Deno.Command("sh", { args: ["-c", "command -v mandoc"] }).output()
  .then(({ success }) => success);

async function read(args: readonly string[], roff: string): Promise<string> {
  const child = new Deno.Command("mandoc", {
    args: [...args],
    ...{ stdin: "piped", stdout: "piped", stderr: "null" } as const,
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(roff));
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout);
}

Deno.test({
  name: "Debian's mandoc finds no fault in any man page but that it has no date",
  ignore: !mandoc,
  async fn() {
    for (const [path, roff] of PAGES) {
      const faults = (await read(["-Tlint", "-W", "warning"], roff)).split("\n")
        .filter((line) => line !== "" && !line.includes("missing date"));
      assert.deepEqual(faults, [], `svc ${path}`);
    }
  },
});

Deno.test({
  name: "a man page shows each flag of its command, as mandoc prints it",
  ignore: !mandoc,
  async fn() {
    const printed = async (roff: string) =>
      (await read(["-Tascii", "-Owidth=500"], roff)).replaceAll(/.[\b]/g, "");
    const whole = await printed(PAGES[0]![1]);
    for (const [path, command] of COMMANDS) {
      const shown = await printed(manPage(TREE, path));
      for (const flag of [...Object.keys(command.flags).map(flagName), ...command.modes]) {
        assert.ok(shown.includes(`--${flag}`), `svc ${path} --${flag}`);
      }
      assert.ok(whole.includes(`svc ${path}`), path);
    }
  },
});

Deno.test("no text of ours begins a request or an escape of roff", () => {
  assert.equal(
    roffText(".so /etc/passwd\n'x a\\nb --yes"),
    "\\&.so /etc/passwd\n\\&'x a\\enb \\-\\-yes",
  );
});

Deno.test("svc help --man prints the page of the program, or of one command", async () => {
  const whole = await svc(["help", "--man"]);
  assert.equal(whole.code, 0);
  assert.match(whole.stdout, /^\.TH "SVC" 1 /);
  const one = await svc(["help", "tickets", "list", "--man"]);
  assert.match(one.stdout, /^\.TH "SVC\\-TICKETS\\-LIST" 1 /);
});
