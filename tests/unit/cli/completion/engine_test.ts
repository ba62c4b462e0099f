import assert from "node:assert/strict";
import { complete, type Completion, type OfferedValues } from "svc/cli/completion/engine.ts";
import { TREE } from "svc/cli/tree.gen.ts";
import { SAMPLE_TREE } from "tests/shells/sample_tree.ts";

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  roles: ["engineer", "qa lead", 'say "hi"', "team:alpha"],
  repos: ["demo", "web"],
  bundles: ["local-cpu-q3"],
  tickets: ["T-0001", "T-0002"],
};

const known: OfferedValues = (source) =>
  Promise.resolve((KNOWN[source] ?? []).map((value) => ({ value, about: "" })));

/** Asks with words split at single blanks, so that a trailing blank begins an empty word. */
async function ask(line: string): Promise<Completion> {
  return await complete(SAMPLE_TREE, line.split(" "), known);
}

async function valuesAfter(line: string): Promise<string[]> {
  return (await ask(line)).items.map(({ value }) => value);
}

const FLAGS_OF_RUN = [
  "--repo",
  "--role",
  "--execution-profile",
  "--trace",
  "--max-turns",
  "--debug",
  "--json",
  "--dry-run",
  "--help",
];

/** What was typed → all that is offered. */
const OFFERED: readonly (readonly [line: string, values: readonly string[]])[] = [
  // Groups and commands; the hidden ones are not named.
  ["", ["about", "checks", "run", "scores", "setup", "ticket", "trust", "update", "help"]],
  ["s", ["scores", "setup"]],
  ["in", []],
  ["update ", ["harness"]],
  ["scores ", ["export"]],
  ["scores --", ["--json", "--help"]],
  ["scores --json ", ["--help"]],
  ["scores --json e", []],
  ["checks run x", []],
  ["nothing ", []],
  ["checks nothing ", []],
  ["-", ["--help", "--version"]],
  ["update --", ["--help"]],
  ["--json sc", ["scores"]],
  ["--help ", []],

  // Aliases, where the name they stand for does not fit.
  ["u", ["update"]],
  ["upd", ["update"]],
  ["upg", ["upgrade"]],
  ["update t", ["target"]],
  ["upgrade --", ["--help"]],

  // Help takes paths, and flags nowhere.
  ["help ", ["about", "checks", "run", "scores", "setup", "ticket", "trust", "update"]],
  ["help scores ", ["export"]],
  ["help run ", []],
  ["help nothing ", []],
  ["he", ["help"]],

  // Flags: the ones not given yet, and those that may be repeated.
  ["run --", FLAGS_OF_RUN],
  ["run --d", ["--debug", "--dry-run"]],
  ["run --debug --d", ["--dry-run"]],
  ["run --role engineer --r", ["--repo", "--role"]],
  ["run --repo=. --r", ["--role"]],
  ["run engineer ", FLAGS_OF_RUN],
  ["run engineer x", []],
  ["run --json --help --debug --dry", ["--dry-run"]],
  ["internal probe --", ["--deep", "--help"]],

  // OfferedValues of flags.
  ["run --execution-profile ", ["observer", "host", "isolated"]],
  ["run --execution-profile h", ["host"]],
  ["run --execution-profile=", [
    "--execution-profile=observer",
    "--execution-profile=host",
    "--execution-profile=isolated",
  ]],
  ["run --execution-profile=i", ["--execution-profile=isolated"]],
  ["run --role=qa", ["--role=qa lead"]],
  ["run --role q", ["qa lead"]],
  ["run --debug=", []],
  ["run --nothing=", []],
  ["run --max-turns ", []],
  ["setup --bundle ", ["local-cpu-q3"]],
  ["checks run --name ", []],

  // Positional arguments.
  ["run ", ["engineer", "qa lead", 'say "hi"', "team:alpha"]],
  ["run say", ['say "hi"']],
  ["run --debug te", ["team:alpha"]],
  ["run --repo x te", ["team:alpha"]],
  ["trust engineer ", ["demo", "web"]],
  ["trust engineer demo ", ["observer", "contributor"]],
  ["trust engineer demo observer ", ["--help"]],
  ["ticket T-0001 ", ["T-0001", "T-0002"]],
  ["about upd", ["update harness"]],
  ["about int", []],

  // What follows the double dash is another program's.
  ["checks run -- ", []],
  ["checks run --", ["--name", "--help", "--"]],
  ["checks run --name x ", ["--help", "--"]],
  ["run -- ", []],
];

for (const [line, values] of OFFERED) {
  Deno.test(`complete offers what may follow "svc ${line}"`, async () => {
    assert.deepEqual(await valuesAfter(line), values);
  });
}

const DELEGATED: readonly (readonly [line: string, delegate: Completion["delegate"]])[] = [
  ["run --trace ", "files"],
  ["run --trace=a", "files"],
  ["run --repo ", "files"],
  ["run --debug ", undefined],
  ["checks run -- ", "command"],
  ["checks run -- ma", "command"],
  ["checks run --name x -- make ", "arguments"],
  ["checks run -- make -- ", "arguments"],
  ["run -- ", undefined],
];

for (const [line, delegate] of DELEGATED) {
  Deno.test(`complete leaves "svc ${line}" to the shell's ${delegate ?? "nothing"}`, async () => {
    assert.equal((await ask(line)).delegate, delegate);
  });
}

Deno.test("complete says what each candidate is about", async () => {
  const abouts = async (line: string) =>
    Object.fromEntries((await ask(line)).items.map(({ value, about }) => [value, about]));
  assert.equal((await abouts("s")).scores, "Show scores");
  assert.equal((await abouts("upg")).upgrade, "Update the harness (alias of update harness)");
  assert.equal((await abouts("run --role"))["--role"], "One more role (may be repeated)");
  assert.deepEqual(await abouts("run --execution-profile "), {
    observer: "default",
    host: "",
    isolated: "",
  });
});

Deno.test("complete takes no words at all for an empty first one", async () => {
  assert.deepEqual(await complete(SAMPLE_TREE, [], known), await ask(""));
});

Deno.test("complete reaches every visible command and flag of svc word by word", async () => {
  for (const [path, command] of Object.entries(TREE.commands)) {
    if (command.hidden) continue;
    const words = path.split(" ");
    for (let count = 0; count < words.length; count++) {
      const { items } = await complete(TREE, [...words.slice(0, count), ""], known);
      assert.ok(items.some(({ value }) => value === words[count]), path);
    }
    const { items } = await complete(TREE, [...words, "--"], known);
    const flags = Object.keys(command.flags).length + command.modes.length + 1;
    assert.equal(items.length, flags + (command.rest ? 1 : 0), path);
  }
});
