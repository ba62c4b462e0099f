/**
 * Each command that asks git, on hostile repos: on a third of them, another third for each command, and
 * on each one with HOSTILE_ALL (`make hostile`). Those of agents ask the same verbs by the broker.
 */
import assert from "node:assert/strict";
import { svc } from "tests/kit/entrance.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { evil, victim } from "./hostile_parts.ts";
import { HOSTILE } from "./hostile_repos.ts";

const COMMANDS: readonly (readonly string[])[] = [
  ["doctor"],
  ["scan"],
  ["guardrails", "secret-scan"],
  ["guardrails", "secret-scan", "--staged"],
  ["tickets", "list"],
  ["tickets", "new", "--title", "x"],
  ["tools", "list"],
  ["trust"],
  ["register"],
  ["init", "--dry-run", "--yes"],
];

/** On every repo. */
const LOOK = ["tickets list", "tools list", "trust"];
const ALL = Deno.env.has("HOSTILE_ALL");

for (const [at, { name, plant, refused, damaged }] of HOSTILE.entries()) {
  const mine = COMMANDS.filter((command, n) =>
    ALL || (at + n) % 3 === 0 || LOOK.includes(command.join(" "))
  );
  Deno.test(`no command of svc runs a hostile ${name}`, async () => {
    await using repo = await victim();
    await using program = await evil();
    await using home = await tempFolder();
    const cwd = await plant(repo, program) ?? repo.path;
    await program.forget(); // planting it may have run it
    const env = {
      HOME: home.path,
      SVC_HOME: `${home.path}/svc`,
      PATH: "/usr/local/bin:/usr/bin:/bin",
    };
    const done: string[] = [];
    for (const command of mine) {
      const { code, stderr } = await svc(command, { env, cwd });
      assert.ok(![2, 70].includes(code), `${command.join(" ")}: ${stderr}`);
      assert.equal(await program.fired(), false, command.join(" "));
      if (code === 0) done.push(command.join(" "));
    }
    if (refused === undefined && !damaged) {
      assert.deepEqual(LOOK.filter((command) => !done.includes(command)), []);
    }
  });
}
